package io.oncegate.spring.mybatis;

import io.oncegate.spring.orm.Purchase;
import org.apache.ibatis.annotations.CacheNamespace;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Options;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.annotations.Update;

/** A mapper as applications write them, with a second-level cache. */
@CacheNamespace(readWrite = false)
public interface PurchaseMapper {
    @Insert(
            "INSERT INTO purchase (version, user_id, request_id, amount) VALUES (0, #{userId}, #{requestId}, #{amount})")
    @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id")
    int insert(Purchase purchase);

    @Insert("INSERT IGNORE INTO purchase (version, user_id, request_id, amount)"
            + " VALUES (0, #{userId}, #{requestId}, #{amount})")
    @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id")
    int insertIgnore(Purchase purchase);

    @Insert(
            "INSERT INTO purchase (version, user_id, request_id, amount) VALUES (0, #{userId}, #{requestId}, #{amount})")
    @Options(useGeneratedKeys = true, keyProperty = "id", keyColumn = "id", flushCache = Options.FlushCachePolicy.FALSE)
    int insertPastTheCache(Purchase purchase);

    @Select("SELECT * FROM purchase WHERE user_id = #{userId} AND request_id = #{requestId}")
    Purchase byRequest(@Param("userId") String userId, @Param("requestId") String requestId);

    @Select("SELECT * FROM purchase WHERE id = #{id}")
    Purchase byId(@Param("id") long id);

    // snippet: version
    @VersionedStatement
    @Update("UPDATE purchase SET amount = #{amount}, version = version + 1 WHERE id = #{id} AND version = #{version}")
    int update(Purchase purchase);
    // end snippet

    @VersionedStatement(version = "purchase.version")
    @Update("UPDATE purchase SET amount = #{amount}, version = version + 1"
            + " WHERE id = #{purchase.id} AND version = #{purchase.version}")
    int setAmount(@Param("purchase") Purchase purchase, @Param("amount") int amount);

    @VersionedStatement
    @Update("UPDATE purchase SET amount = #{amount}, version = version + 1 WHERE version = #{version}")
    int updateTooMany(Purchase purchase);
}

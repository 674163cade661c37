package io.oncegate.core.ladder;

import io.oncegate.core.ladder.Moves.Move;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Goes through all worlds that can come of one, the near ones first, until a promise is broken or none is left. */
final class Explorer {
    private Explorer() {}

    /**
     * What was found.
     *
     * @param worlds how many worlds were seen
     * @param broken the promise that a shortest way breaks, or null
     * @param way what happened on that way
     */
    record Found(int worlds, @Nullable String broken, List<String> way) {
        @Override
        public String toString() {
            return broken == null ? worlds + " worlds, nothing broken" : broken + ":\n  " + String.join("\n  ", way);
        }
    }

    private record Came(@Nullable World from, String by) {}

    static Found explore(Order order, World begin) {
        Map<World, Came> seen = new HashMap<>();
        Deque<World> next = new ArrayDeque<>();
        seen.put(begin, new Came(null, ""));
        next.add(begin);
        while (!next.isEmpty()) {
            World world = next.remove();
            for (Move move : Moves.of(order, world)) {
                if (move.wrong() != null) {
                    return new Found(seen.size(), move.wrong(), way(seen, world, move.name()));
                }
                if (seen.putIfAbsent(move.next(), new Came(world, move.name())) == null) {
                    next.add(move.next());
                }
            }
        }
        return new Found(seen.size(), null, List.of());
    }

    /** The world that these moves lead to. */
    static World play(Order order, World begin, String... names) {
        World world = begin;
        for (String name : names) {
            List<Move> moves = Moves.of(order, world);
            world = moves.stream()
                    .filter(move -> move.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(name + " is none of " + moves))
                    .next();
        }
        return world;
    }

    private static List<String> way(Map<World, Came> seen, World last, String lastMove) {
        List<String> way = new ArrayList<>(List.of(lastMove));
        for (Came came = seen.get(last); came != null && came.from() != null; came = seen.get(came.from())) {
            way.add(came.by());
        }
        Collections.reverse(way);
        return way;
    }
}

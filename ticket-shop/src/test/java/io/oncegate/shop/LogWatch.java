package io.oncegate.shop;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** Everything that is logged while it is open. */
public final class LogWatch implements AutoCloseable {
    private final List<ILoggingEvent> events = new CopyOnWriteArrayList<>();
    private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            events.add(event);
        }
    };

    public LogWatch() {
        appender.setContext(root.getLoggerContext());
        appender.start();
        root.addAppender(appender);
    }

    public List<String> errors() {
        return at(Level.ERROR);
    }

    public List<String> warnings() {
        return at(Level.WARN);
    }

    private List<String> at(Level level) {
        return events.stream()
                .filter(event -> event.getLevel() == level)
                .map(event -> event.getLoggerName() + ": " + event.getFormattedMessage())
                .toList();
    }

    /** Lines that came with a stack trace. */
    public List<String> traces() {
        return events.stream()
                .filter(event ->
                        event.getThrowableProxy() != null && event.getLevel().isGreaterOrEqual(Level.WARN))
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    @Override
    public void close() {
        root.detachAppender(appender);
        appender.stop();
    }
}

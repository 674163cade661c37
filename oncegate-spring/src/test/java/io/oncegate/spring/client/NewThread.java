package io.oncegate.spring.client;

/** A virtual thread where the platform has them, else an ordinary one. */
final class NewThread {
    private NewThread() {}

    static Thread of(Runnable work) {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return (Thread) Class.forName("java.lang.Thread$Builder")
                    .getMethod("unstarted", Runnable.class)
                    .invoke(builder, work);
        } catch (ReflectiveOperationException e) {
            return new Thread(work);
        }
    }
}

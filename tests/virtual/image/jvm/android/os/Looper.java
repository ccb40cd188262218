package android.os;

public class Looper {
    private static final Looper MAIN = new Looper();
    private final MessageQueue queue = new MessageQueue();

    public static Looper getMainLooper() {
        return MAIN;
    }

    public MessageQueue getQueue() {
        return queue;
    }
}

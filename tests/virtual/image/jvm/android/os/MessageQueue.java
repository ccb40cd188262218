package android.os;

import java.io.FileDescriptor;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

public class MessageQueue {
    public interface OnFileDescriptorEventListener {
        int onFileDescriptorEvents(FileDescriptor descriptor, int events);
    }

    public static volatile Thread main;
    public static final ExecutorService MAIN =
            Executors.newSingleThreadExecutor(
                    task -> {
                        main = new Thread(task);
                        main.setDaemon(true);
                        return main;
                    });
    /** What blocks until a descriptor has input. */
    public static final Map<FileDescriptor, Runnable> waits = new ConcurrentHashMap<>();

    private final Map<FileDescriptor, OnFileDescriptorEventListener> listeners =
            new ConcurrentHashMap<>();

    public void addOnFileDescriptorEventListener(
            FileDescriptor descriptor, int events, OnFileDescriptorEventListener listener) {
        listeners.put(descriptor, listener);
        Thread thread = new Thread(() -> watch(descriptor, listener));
        thread.setDaemon(true);
        thread.start();
    }

    public void removeOnFileDescriptorEventListener(FileDescriptor descriptor) {
        if (descriptor == null) throw new IllegalArgumentException("fd must not be null");
        listeners.remove(descriptor);
    }

    private void watch(FileDescriptor descriptor, OnFileDescriptorEventListener listener) {
        int events = 1;
        while (events != 0) {
            waits.get(descriptor).run();
            try {
                events = MAIN.submit(() -> call(descriptor, listener)).get();
            } catch (Exception error) {
                error.printStackTrace();
                System.exit(1);
            }
        }
    }

    private int call(FileDescriptor descriptor, OnFileDescriptorEventListener listener) {
        boolean is = listeners.get(descriptor) == listener;
        return is ? listener.onFileDescriptorEvents(descriptor, 1) : 0;
    }
}

package android.net;

import android.os.MessageQueue;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** Listens at a port of this machine, which it prints, instead of at an abstract socket. */
public class LocalServerSocket {
    private final ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());

    public LocalServerSocket(String name) throws IOException {
        System.out.println(name + " " + socket.getLocalPort());
    }

    /** Accepts a client; Android throws an exception on the main thread, too. */
    public LocalSocket accept() throws IOException {
        if (Thread.currentThread() == MessageQueue.main) throw new IllegalStateException("network");
        return new LocalSocket(socket.accept());
    }
}

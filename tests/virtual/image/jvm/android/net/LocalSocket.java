package android.net;

import android.os.MessageQueue;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;
import java.net.Socket;

public class LocalSocket {
    private final Socket socket;
    private final PushbackInputStream input;
    private FileDescriptor descriptor = new FileDescriptor();

    LocalSocket(Socket socket) throws IOException {
        this.socket = socket;
        input = new PushbackInputStream(socket.getInputStream());
        MessageQueue.waits.put(descriptor, this::awaitInput);
    }

    private void awaitInput() {
        try {
            int first = input.read();
            if (first >= 0) input.unread(first);
        } catch (IOException closed) {
            return; // which whoever reads sees, too
        }
    }

    public Credentials getPeerCredentials() throws IOException {
        return new Credentials();
    }

    public FileDescriptor getFileDescriptor() {
        return descriptor;
    }

    public InputStream getInputStream() throws IOException {
        return input;
    }

    public OutputStream getOutputStream() throws IOException {
        return socket.getOutputStream();
    }

    public void shutdownOutput() throws IOException {
        socket.shutdownOutput();
    }

    public void close() throws IOException {
        socket.close();
        descriptor = null;
    }
}

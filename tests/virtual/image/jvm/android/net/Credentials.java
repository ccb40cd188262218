package android.net;

public class Credentials {
    public static volatile int uid = 2000;

    public int getUid() {
        return uid;
    }
}

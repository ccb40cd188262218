# The one activity of the app that `mobileagent doctor --certify` installs for its contracts.
#
# The intent's extra `page` selects what it shows: touch (the default), text, rows, columns, secure.
# Each page begins with a status, which says what happened last, and with facts that the app reads
# from Android itself. The virtual phone shows the same pages: pytest_mobileagent/virtual/image/
# contracts.py.
.class public Lorg/mobileagent/contracts/Main;
.super Landroid/app/Activity;

.implements Landroid/view/View$OnClickListener;
.implements Landroid/view/View$OnLongClickListener;
.implements Landroid/widget/SeekBar$OnSeekBarChangeListener;
.implements Landroid/widget/TextView$OnEditorActionListener;
.implements Ljava/lang/Runnable;

.field private status:Landroid/widget/TextView;
.field private facts:Landroid/widget/TextView;
.field private line:Landroid/widget/EditText;
.field private last:Ljava/lang/String;
.field private clicked:J
.field private count:I
.field private ticks:I

.method public constructor <init>()V
    .locals 1
    invoke-direct {p0}, Landroid/app/Activity;-><init>()V
    const-string v0, ""
    iput-object v0, p0, Lorg/mobileagent/contracts/Main;->last:Ljava/lang/String;
    return-void
.end method

# ---- the pages

.method protected onCreate(Landroid/os/Bundle;)V
    .locals 5
    invoke-super {p0, p1}, Landroid/app/Activity;->onCreate(Landroid/os/Bundle;)V
    const/4 v0, 0x3    # the volume keys set the volume of music
    invoke-virtual {p0, v0}, Landroid/app/Activity;->setVolumeControlStream(I)V

    new-instance v1, Landroid/widget/LinearLayout;
    invoke-direct {v1, p0}, Landroid/widget/LinearLayout;-><init>(Landroid/content/Context;)V
    const/4 v0, 0x1
    invoke-virtual {v1, v0}, Landroid/widget/LinearLayout;->setOrientation(I)V
    # Android 15 and newer draw apps under the bars unless they ask for insets.
    invoke-virtual {v1, v0}, Landroid/view/View;->setFitsSystemWindows(Z)V

    const-string v0, "ready"
    invoke-direct {p0, v1, v0}, Lorg/mobileagent/contracts/Main;->text(Landroid/view/ViewGroup;Ljava/lang/String;)Landroid/widget/TextView;
    move-result-object v2
    iput-object v2, p0, Lorg/mobileagent/contracts/Main;->status:Landroid/widget/TextView;
    invoke-direct {p0}, Lorg/mobileagent/contracts/Main;->facts()Ljava/lang/String;
    move-result-object v0
    invoke-direct {p0, v1, v0}, Lorg/mobileagent/contracts/Main;->text(Landroid/view/ViewGroup;Ljava/lang/String;)Landroid/widget/TextView;
    move-result-object v2
    iput-object v2, p0, Lorg/mobileagent/contracts/Main;->facts:Landroid/widget/TextView;

    invoke-virtual {p0}, Landroid/app/Activity;->getIntent()Landroid/content/Intent;
    move-result-object v2
    const-string v3, "page"
    invoke-virtual {v2, v3}, Landroid/content/Intent;->getStringExtra(Ljava/lang/String;)Ljava/lang/String;
    move-result-object v2

    const-string v3, "text"
    invoke-virtual {v3, v2}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v4
    if-eqz v4, :not_text
    invoke-direct {p0, v1}, Lorg/mobileagent/contracts/Main;->fields(Landroid/view/ViewGroup;)V
    goto :show
    :not_text
    const-string v3, "rows"
    invoke-virtual {v3, v2}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v4
    if-eqz v4, :not_rows
    invoke-direct {p0, v1}, Lorg/mobileagent/contracts/Main;->rows(Landroid/view/ViewGroup;)V
    goto :show
    :not_rows
    const-string v3, "columns"
    invoke-virtual {v3, v2}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v4
    if-eqz v4, :not_columns
    invoke-direct {p0, v1}, Lorg/mobileagent/contracts/Main;->columns(Landroid/view/ViewGroup;)V
    goto :show
    :not_columns
    const-string v3, "secure"
    invoke-virtual {v3, v2}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v4
    if-eqz v4, :not_secure
    invoke-virtual {p0}, Landroid/app/Activity;->getWindow()Landroid/view/Window;
    move-result-object v3
    const/16 v4, 0x2000    # FLAG_SECURE
    invoke-virtual {v3, v4, v4}, Landroid/view/Window;->setFlags(II)V
    :not_secure
    invoke-direct {p0, v1}, Lorg/mobileagent/contracts/Main;->touches(Landroid/view/ViewGroup;)V
    :show
    invoke-virtual {p0, v1}, Landroid/app/Activity;->setContentView(Landroid/view/View;)V
    return-void
.end method

.method private text(Landroid/view/ViewGroup;Ljava/lang/String;)Landroid/widget/TextView;
    .locals 1
    new-instance v0, Landroid/widget/TextView;
    invoke-direct {v0, p0}, Landroid/widget/TextView;-><init>(Landroid/content/Context;)V
    invoke-virtual {v0, p2}, Landroid/widget/TextView;->setText(Ljava/lang/CharSequence;)V
    invoke-virtual {p1, v0}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V
    return-object v0
.end method

.method private button(Landroid/view/ViewGroup;Ljava/lang/String;)V
    .locals 2
    new-instance v0, Landroid/widget/Button;
    invoke-direct {v0, p0}, Landroid/widget/Button;-><init>(Landroid/content/Context;)V
    const/4 v1, 0x0
    invoke-virtual {v0, v1}, Landroid/widget/TextView;->setAllCaps(Z)V
    invoke-virtual {v0, p2}, Landroid/widget/TextView;->setText(Ljava/lang/CharSequence;)V
    invoke-virtual {v0, p0}, Landroid/view/View;->setOnClickListener(Landroid/view/View$OnClickListener;)V
    invoke-virtual {v0, p0}, Landroid/view/View;->setOnLongClickListener(Landroid/view/View$OnLongClickListener;)V
    invoke-virtual {p1, v0}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V
    return-void
.end method

.method private touches(Landroid/view/ViewGroup;)V
    .locals 4
    new-instance v0, Landroid/widget/LinearLayout;
    invoke-direct {v0, p0}, Landroid/widget/LinearLayout;-><init>(Landroid/content/Context;)V
    const-string v1, "One"
    invoke-direct {p0, v0, v1}, Lorg/mobileagent/contracts/Main;->button(Landroid/view/ViewGroup;Ljava/lang/String;)V
    const-string v1, "Two"
    invoke-direct {p0, v0, v1}, Lorg/mobileagent/contracts/Main;->button(Landroid/view/ViewGroup;Ljava/lang/String;)V
    const-string v1, "Count"
    invoke-direct {p0, v0, v1}, Lorg/mobileagent/contracts/Main;->button(Landroid/view/ViewGroup;Ljava/lang/String;)V
    invoke-virtual {p1, v0}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V

    new-instance v0, Landroid/widget/LinearLayout;
    invoke-direct {v0, p0}, Landroid/widget/LinearLayout;-><init>(Landroid/content/Context;)V
    const-string v1, "Log"
    invoke-direct {p0, v0, v1}, Lorg/mobileagent/contracts/Main;->button(Landroid/view/ViewGroup;Ljava/lang/String;)V
    const-string v1, "Ask"
    invoke-direct {p0, v0, v1}, Lorg/mobileagent/contracts/Main;->button(Landroid/view/ViewGroup;Ljava/lang/String;)V
    const-string v1, "Crash"
    invoke-direct {p0, v0, v1}, Lorg/mobileagent/contracts/Main;->button(Landroid/view/ViewGroup;Ljava/lang/String;)V
    invoke-virtual {p1, v0}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V

    new-instance v0, Landroid/widget/SeekBar;
    invoke-direct {v0, p0}, Landroid/widget/SeekBar;-><init>(Landroid/content/Context;)V
    const/16 v1, 0x64
    invoke-virtual {v0, v1}, Landroid/widget/SeekBar;->setMax(I)V
    invoke-virtual {v0, p0}, Landroid/widget/SeekBar;->setOnSeekBarChangeListener(Landroid/widget/SeekBar$OnSeekBarChangeListener;)V
    invoke-virtual {p1, v0}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V

    new-instance v0, Landroid/widget/CheckBox;
    invoke-direct {v0, p0}, Landroid/widget/CheckBox;-><init>(Landroid/content/Context;)V
    const-string v1, "Box"
    invoke-virtual {v0, v1}, Landroid/widget/TextView;->setText(Ljava/lang/CharSequence;)V
    const/4 v1, 0x1
    invoke-virtual {v0, v1}, Landroid/widget/CompoundButton;->setChecked(Z)V
    invoke-virtual {p1, v0}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V

    const-string v1, "Colour"
    invoke-direct {p0, p1, v1}, Lorg/mobileagent/contracts/Main;->text(Landroid/view/ViewGroup;Ljava/lang/String;)Landroid/widget/TextView;
    move-result-object v0
    const v1, -0xff01    # magenta, #ffff00ff
    invoke-virtual {v0, v1}, Landroid/view/View;->setBackgroundColor(I)V
    const/16 v1, 0x50
    invoke-virtual {v0, v1, v1, v1, v1}, Landroid/view/View;->setPadding(IIII)V
    return-void
.end method

.method private fields(Landroid/view/ViewGroup;)V
    .locals 3
    const-string v1, "line"
    const v2, 0x80001    # text, no suggestions
    invoke-direct {p0, p1, v1, v2}, Lorg/mobileagent/contracts/Main;->field(Landroid/view/ViewGroup;Ljava/lang/String;I)Landroid/widget/EditText;
    move-result-object v0
    invoke-virtual {v0, p0}, Landroid/widget/TextView;->setOnEditorActionListener(Landroid/widget/TextView$OnEditorActionListener;)V
    iput-object v0, p0, Lorg/mobileagent/contracts/Main;->line:Landroid/widget/EditText;
    const-string v1, "lines"
    const v2, 0xa0001    # text, no suggestions, several lines
    invoke-direct {p0, p1, v1, v2}, Lorg/mobileagent/contracts/Main;->field(Landroid/view/ViewGroup;Ljava/lang/String;I)Landroid/widget/EditText;
    const-string v1, "Save"
    invoke-direct {p0, p1, v1}, Lorg/mobileagent/contracts/Main;->button(Landroid/view/ViewGroup;Ljava/lang/String;)V
    return-void
.end method

.method private field(Landroid/view/ViewGroup;Ljava/lang/String;I)Landroid/widget/EditText;
    .locals 1
    new-instance v0, Landroid/widget/EditText;
    invoke-direct {v0, p0}, Landroid/widget/EditText;-><init>(Landroid/content/Context;)V
    invoke-virtual {v0, p3}, Landroid/widget/TextView;->setInputType(I)V
    invoke-virtual {v0, p2}, Landroid/view/View;->setContentDescription(Ljava/lang/CharSequence;)V
    invoke-virtual {p1, v0}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V
    return-object v0
.end method

.method private rows(Landroid/view/ViewGroup;)V
    .locals 5
    const/16 v0, 0x3c
    new-array v1, v0, [Ljava/lang/String;
    const/4 v2, 0x0
    :next
    if-ge v2, v0, :filled
    new-instance v3, Ljava/lang/StringBuilder;
    const-string v4, "Row "
    invoke-direct {v3, v4}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    add-int/lit8 v4, v2, 0x1
    invoke-virtual {v3, v4}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    invoke-virtual {v3}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v3
    aput-object v3, v1, v2
    move v2, v4
    goto :next
    :filled
    new-instance v2, Landroid/widget/ArrayAdapter;
    const v3, 0x1090003    # android.R.layout.simple_list_item_1
    invoke-direct {v2, p0, v3, v1}, Landroid/widget/ArrayAdapter;-><init>(Landroid/content/Context;I[Ljava/lang/Object;)V
    new-instance v3, Landroid/widget/ListView;
    invoke-direct {v3, p0}, Landroid/widget/ListView;-><init>(Landroid/content/Context;)V
    invoke-virtual {v3, v2}, Landroid/widget/ListView;->setAdapter(Landroid/widget/ListAdapter;)V
    invoke-virtual {p1, v3}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V
    return-void
.end method

.method private columns(Landroid/view/ViewGroup;)V
    .locals 5
    new-instance v0, Landroid/widget/LinearLayout;
    invoke-direct {v0, p0}, Landroid/widget/LinearLayout;-><init>(Landroid/content/Context;)V
    const/4 v1, 0x0
    :next
    const/16 v2, 0x28
    if-ge v1, v2, :filled
    add-int/lit8 v1, v1, 0x1
    new-instance v3, Ljava/lang/StringBuilder;
    const-string v4, "Column "
    invoke-direct {v3, v4}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    invoke-virtual {v3, v1}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    invoke-virtual {v3}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v3
    invoke-direct {p0, v0, v3}, Lorg/mobileagent/contracts/Main;->text(Landroid/view/ViewGroup;Ljava/lang/String;)Landroid/widget/TextView;
    move-result-object v3
    const/16 v2, 0x50
    const/16 v4, 0x514
    invoke-virtual {v3, v2, v2, v2, v4}, Landroid/view/View;->setPadding(IIII)V
    goto :next
    :filled
    new-instance v3, Landroid/widget/HorizontalScrollView;
    invoke-direct {v3, p0}, Landroid/widget/HorizontalScrollView;-><init>(Landroid/content/Context;)V
    invoke-virtual {v3, v0}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V
    invoke-virtual {p1, v3}, Landroid/view/ViewGroup;->addView(Landroid/view/View;)V
    return-void
.end method

# ---- what happens on them

.method public onClick(Landroid/view/View;)V
    .locals 8
    check-cast p1, Landroid/widget/TextView;
    invoke-virtual {p1}, Landroid/widget/TextView;->getText()Ljava/lang/CharSequence;
    move-result-object v0
    invoke-virtual {v0}, Ljava/lang/Object;->toString()Ljava/lang/String;
    move-result-object v0
    iget v1, p0, Lorg/mobileagent/contracts/Main;->count:I
    add-int/lit8 v1, v1, 0x1
    iput v1, p0, Lorg/mobileagent/contracts/Main;->count:I

    const-string v2, "Crash"
    invoke-virtual {v2, v0}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v2
    if-eqz v2, :not_crash
    new-instance v2, Ljava/lang/IllegalStateException;
    const-string v3, "crashed as the contract asks"
    invoke-direct {v2, v3}, Ljava/lang/IllegalStateException;-><init>(Ljava/lang/String;)V
    throw v2
    :not_crash
    const-string v2, "Save"
    invoke-virtual {v2, v0}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v2
    if-eqz v2, :not_save
    invoke-direct {p0}, Lorg/mobileagent/contracts/Main;->save()V
    return-void
    :not_save
    const-string v2, "Count"
    invoke-virtual {v2, v0}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v2
    if-eqz v2, :not_count
    const/4 v2, 0x0
    iput v2, p0, Lorg/mobileagent/contracts/Main;->ticks:I
    invoke-virtual {p0}, Lorg/mobileagent/contracts/Main;->run()V
    return-void
    :not_count
    const-string v2, "Ask"
    invoke-virtual {v2, v0}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v2
    if-eqz v2, :not_ask
    const/4 v2, 0x1
    new-array v3, v2, [Ljava/lang/String;
    const/4 v4, 0x0
    const-string v5, "android.permission.READ_CONTACTS"
    aput-object v5, v3, v4
    invoke-virtual {p0, v3, v2}, Landroid/app/Activity;->requestPermissions([Ljava/lang/String;I)V
    return-void
    :not_ask
    # A second tap within Android's 300 ms is a double tap.
    invoke-static {}, Landroid/os/SystemClock;->uptimeMillis()J
    move-result-wide v2
    iget-wide v4, p0, Lorg/mobileagent/contracts/Main;->clicked:J
    iput-wide v2, p0, Lorg/mobileagent/contracts/Main;->clicked:J
    sub-long/2addr v2, v4
    const-wide/16 v4, 0x12c
    cmp-long v2, v2, v4
    iget-object v3, p0, Lorg/mobileagent/contracts/Main;->last:Ljava/lang/String;
    iput-object v0, p0, Lorg/mobileagent/contracts/Main;->last:Ljava/lang/String;
    const-string v4, "tap "
    if-gtz v2, :once
    invoke-virtual {v0, v3}, Ljava/lang/String;->equals(Ljava/lang/Object;)Z
    move-result v3
    if-eqz v3, :once
    const-string v4, "double "
    :once
    new-instance v5, Ljava/lang/StringBuilder;
    invoke-direct {v5, v4}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    invoke-virtual {v5, v0}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    const-string v6, " "
    invoke-virtual {v5, v6}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    invoke-virtual {v5, v1}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    invoke-virtual {v5}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v5
    invoke-direct {p0, v5}, Lorg/mobileagent/contracts/Main;->tell(Ljava/lang/String;)V
    const-string v6, "MobileContracts"
    invoke-static {v6, v5}, Landroid/util/Log;->w(Ljava/lang/String;Ljava/lang/String;)I
    return-void
.end method

.method public onLongClick(Landroid/view/View;)Z
    .locals 2
    check-cast p1, Landroid/widget/TextView;
    new-instance v0, Ljava/lang/StringBuilder;
    const-string v1, "long "
    invoke-direct {v0, v1}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    invoke-virtual {p1}, Landroid/widget/TextView;->getText()Ljava/lang/CharSequence;
    move-result-object v1
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Ljava/lang/CharSequence;)Ljava/lang/StringBuilder;
    invoke-virtual {v0}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v0
    invoke-direct {p0, v0}, Lorg/mobileagent/contracts/Main;->tell(Ljava/lang/String;)V
    const/4 v0, 0x1
    return v0
.end method

.method public onProgressChanged(Landroid/widget/SeekBar;IZ)V
    .locals 2
    new-instance v0, Ljava/lang/StringBuilder;
    const-string v1, "slider "
    invoke-direct {v0, v1}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    invoke-virtual {v0, p2}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    invoke-virtual {v0}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v0
    invoke-direct {p0, v0}, Lorg/mobileagent/contracts/Main;->tell(Ljava/lang/String;)V
    return-void
.end method

.method public onStartTrackingTouch(Landroid/widget/SeekBar;)V
    .locals 0
    return-void
.end method

.method public onStopTrackingTouch(Landroid/widget/SeekBar;)V
    .locals 0
    return-void
.end method

.method public onEditorAction(Landroid/widget/TextView;ILandroid/view/KeyEvent;)Z
    .locals 2
    new-instance v0, Ljava/lang/StringBuilder;
    const-string v1, "sent "
    invoke-direct {v0, v1}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    invoke-virtual {p1}, Landroid/widget/TextView;->getText()Ljava/lang/CharSequence;
    move-result-object v1
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Ljava/lang/CharSequence;)Ljava/lang/StringBuilder;
    invoke-virtual {v0}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v0
    invoke-direct {p0, v0}, Lorg/mobileagent/contracts/Main;->tell(Ljava/lang/String;)V
    const/4 v0, 0x1
    return v0
.end method

.method public onRequestPermissionsResult(I[Ljava/lang/String;[I)V
    .locals 2
    const-string v0, "refused"
    array-length v1, p3
    if-eqz v1, :tell
    const/4 v1, 0x0
    aget v1, p3, v1
    if-nez v1, :tell
    const-string v0, "granted"
    :tell
    invoke-direct {p0, v0}, Lorg/mobileagent/contracts/Main;->tell(Ljava/lang/String;)V
    return-void
.end method

# Counts to five, one number in 0.2 seconds: a screen that takes a second to come to rest.
.method public run()V
    .locals 4
    iget v0, p0, Lorg/mobileagent/contracts/Main;->ticks:I
    add-int/lit8 v0, v0, 0x1
    iput v0, p0, Lorg/mobileagent/contracts/Main;->ticks:I
    new-instance v1, Ljava/lang/StringBuilder;
    const-string v2, "counted "
    invoke-direct {v1, v2}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    invoke-virtual {v1, v0}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    invoke-virtual {v1}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v1
    invoke-direct {p0, v1}, Lorg/mobileagent/contracts/Main;->tell(Ljava/lang/String;)V
    const/4 v1, 0x5
    if-ge v0, v1, :done
    iget-object v1, p0, Lorg/mobileagent/contracts/Main;->status:Landroid/widget/TextView;
    const-wide/16 v2, 0xc8
    invoke-virtual {v1, p0, v2, v3}, Landroid/view/View;->postDelayed(Ljava/lang/Runnable;J)Z
    :done
    return-void
.end method

# Stores the text of the first field in a database and in the preferences.
.method private save()V
    .locals 5
    iget-object v0, p0, Lorg/mobileagent/contracts/Main;->line:Landroid/widget/EditText;
    invoke-virtual {v0}, Landroid/widget/TextView;->getText()Ljava/lang/CharSequence;
    move-result-object v0
    invoke-virtual {v0}, Ljava/lang/Object;->toString()Ljava/lang/String;
    move-result-object v0

    const-string v1, "contracts.db"
    const/4 v2, 0x0
    const/4 v3, 0x0
    invoke-virtual {p0, v1, v2, v3}, Landroid/app/Activity;->openOrCreateDatabase(Ljava/lang/String;ILandroid/database/sqlite/SQLiteDatabase$CursorFactory;)Landroid/database/sqlite/SQLiteDatabase;
    move-result-object v1
    const-string v2, "CREATE TABLE IF NOT EXISTS texts (text TEXT)"
    invoke-virtual {v1, v2}, Landroid/database/sqlite/SQLiteDatabase;->execSQL(Ljava/lang/String;)V
    const/4 v2, 0x1
    new-array v3, v2, [Ljava/lang/Object;
    const/4 v2, 0x0
    aput-object v0, v3, v2
    const-string v2, "INSERT INTO texts VALUES (?)"
    invoke-virtual {v1, v2, v3}, Landroid/database/sqlite/SQLiteDatabase;->execSQL(Ljava/lang/String;[Ljava/lang/Object;)V
    invoke-virtual {v1}, Landroid/database/sqlite/SQLiteDatabase;->close()V

    const-string v1, "contracts"
    const/4 v2, 0x0
    invoke-virtual {p0, v1, v2}, Landroid/app/Activity;->getSharedPreferences(Ljava/lang/String;I)Landroid/content/SharedPreferences;
    move-result-object v1
    invoke-interface {v1}, Landroid/content/SharedPreferences;->edit()Landroid/content/SharedPreferences$Editor;
    move-result-object v1
    const-string v2, "text"
    invoke-interface {v1, v2, v0}, Landroid/content/SharedPreferences$Editor;->putString(Ljava/lang/String;Ljava/lang/String;)Landroid/content/SharedPreferences$Editor;
    invoke-interface {v1}, Landroid/content/SharedPreferences$Editor;->commit()Z

    const-string v1, "saved "
    invoke-virtual {v1, v0}, Ljava/lang/String;->concat(Ljava/lang/String;)Ljava/lang/String;
    move-result-object v0
    invoke-direct {p0, v0}, Lorg/mobileagent/contracts/Main;->tell(Ljava/lang/String;)V
    return-void
.end method

.method private tell(Ljava/lang/String;)V
    .locals 2
    iget-object v0, p0, Lorg/mobileagent/contracts/Main;->status:Landroid/widget/TextView;
    invoke-virtual {v0, p1}, Landroid/widget/TextView;->setText(Ljava/lang/CharSequence;)V
    iget-object v0, p0, Lorg/mobileagent/contracts/Main;->facts:Landroid/widget/TextView;
    invoke-direct {p0}, Lorg/mobileagent/contracts/Main;->facts()Ljava/lang/String;
    move-result-object v1
    invoke-virtual {v0, v1}, Landroid/widget/TextView;->setText(Ljava/lang/CharSequence;)V
    return-void
.end method

# sdk=34 dpi=420 locale=en-US volume=5 locked=false rotation=0 clock=2024-05-01T10:00:00
.method private facts()Ljava/lang/String;
    .locals 5
    new-instance v0, Ljava/lang/StringBuilder;
    const-string v1, "sdk="
    invoke-direct {v0, v1}, Ljava/lang/StringBuilder;-><init>(Ljava/lang/String;)V
    sget v1, Landroid/os/Build$VERSION;->SDK_INT:I
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;

    invoke-virtual {p0}, Landroid/app/Activity;->getResources()Landroid/content/res/Resources;
    move-result-object v1
    invoke-virtual {v1}, Landroid/content/res/Resources;->getConfiguration()Landroid/content/res/Configuration;
    move-result-object v1
    const-string v2, " dpi="
    invoke-virtual {v0, v2}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    iget v2, v1, Landroid/content/res/Configuration;->densityDpi:I
    invoke-virtual {v0, v2}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;
    const-string v2, " locale="
    invoke-virtual {v0, v2}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    invoke-virtual {v1}, Landroid/content/res/Configuration;->getLocales()Landroid/os/LocaleList;
    move-result-object v1
    const/4 v2, 0x0
    invoke-virtual {v1, v2}, Landroid/os/LocaleList;->get(I)Ljava/util/Locale;
    move-result-object v1
    invoke-virtual {v1}, Ljava/util/Locale;->toLanguageTag()Ljava/lang/String;
    move-result-object v1
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;

    const-string v1, " volume="
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    const-string v1, "audio"
    invoke-virtual {p0, v1}, Landroid/app/Activity;->getSystemService(Ljava/lang/String;)Ljava/lang/Object;
    move-result-object v1
    check-cast v1, Landroid/media/AudioManager;
    const/4 v2, 0x3    # music
    invoke-virtual {v1, v2}, Landroid/media/AudioManager;->getStreamVolume(I)I
    move-result v1
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;

    const-string v1, " locked="
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    const-string v1, "keyguard"
    invoke-virtual {p0, v1}, Landroid/app/Activity;->getSystemService(Ljava/lang/String;)Ljava/lang/Object;
    move-result-object v1
    check-cast v1, Landroid/app/KeyguardManager;
    invoke-virtual {v1}, Landroid/app/KeyguardManager;->isDeviceSecure()Z
    move-result v1
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Z)Ljava/lang/StringBuilder;

    const-string v1, " rotation="
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    invoke-virtual {p0}, Landroid/app/Activity;->getWindowManager()Landroid/view/WindowManager;
    move-result-object v1
    invoke-interface {v1}, Landroid/view/WindowManager;->getDefaultDisplay()Landroid/view/Display;
    move-result-object v1
    invoke-virtual {v1}, Landroid/view/Display;->getRotation()I
    move-result v1
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(I)Ljava/lang/StringBuilder;

    const-string v1, " clock="
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    new-instance v1, Ljava/text/SimpleDateFormat;
    const-string v2, "yyyy-MM-dd'T'HH:mm:ss"
    sget-object v3, Ljava/util/Locale;->US:Ljava/util/Locale;
    invoke-direct {v1, v2, v3}, Ljava/text/SimpleDateFormat;-><init>(Ljava/lang/String;Ljava/util/Locale;)V
    new-instance v2, Ljava/util/Date;
    invoke-direct {v2}, Ljava/util/Date;-><init>()V
    invoke-virtual {v1, v2}, Ljava/text/DateFormat;->format(Ljava/util/Date;)Ljava/lang/String;
    move-result-object v1
    invoke-virtual {v0, v1}, Ljava/lang/StringBuilder;->append(Ljava/lang/String;)Ljava/lang/StringBuilder;
    invoke-virtual {v0}, Ljava/lang/StringBuilder;->toString()Ljava/lang/String;
    move-result-object v0
    return-object v0
.end method

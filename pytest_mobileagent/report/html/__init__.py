"""The HTML pages: report.html, the page of a run, and those of several runs or of a graph.

The data of report.html are blocks (see `page`): script elements of the type
"application/octet-stream;base64" that contain gzip-compressed JSON.

- `index`: the run, its summary, a row for each task and epoch (see `index`), and the earlier runs
  of the folder (see `history`); `index2` is the index of the run that it is compared with.
- `e:FOLDER`: the episode in a folder (see `episode`); `e:~FOLDER`: an episode of that other run.
  Lost attempts have blocks, too: a row's "e" names the attempt that counts, and the episode's
  "attempts" the others. A message of a prompt has its "text", or a "ref", the number of its text in
  "texts". "damaged" says why there are no frames; "missing" lists files, and "judging" judge calls.
- `p:HASH`: in a packed page, the picture HASH.png or HASH.jpg as an uncompressed WebP file.

Pictures are named by paths relative to the page, even if they are packed.
"""

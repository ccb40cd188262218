"""report.html: the page of a run, in one file beside its screens.

Its data are blocks (see `blocks`): script elements of type "application/octet-stream;base64" that
hold JSON, compressed by gzip.

- `index`: the run, its summary, and a row for each task (see `index`); `index2` is that of a
  run that it is compared with.
- `e:FOLDER`: the episode of a folder (see `episode`); `e:~FOLDER`, one of that other run. Attempts
  that were lost have blocks as well: the rows' "e" names the attempt that counts, an episode's
  "attempts" the others. A message of a prompt has its "text", or a "ref": the number of its text in
  "texts". "damaged" says why there are no frames, "missing" lists files that are not there;
  "judging" are the calls of judges.
- `p:HASH`: in a page that is packed, the picture HASH.png or HASH.jpg as WebP, as it is.

Pictures are named by paths relative to the page, also where they are packed.
"""

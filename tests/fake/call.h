/* Runs tilesim with a library of fake/ in place of a vendor's. */
#ifndef TS_FAKE_CALL_H
#define TS_FAKE_CALL_H

/* A folder with one fake library, by the name under which the loader looks for it. */
struct room {
	char *folder, *library, *log;
};

/* Of the library whose path is in FAKE_`version`, such as HIP_7 or CUDA; NULL: without any. */
struct room make_room(const char *version);
void drop_room(struct room *r);

/* What it said, and the library's calls, one a line. */
struct answer {
	int code;
	char *out, *err, *calls;
};

/* Runs tilesim with these words and what the library is to pretend: words NAME=VALUE, or NULL. */
struct answer call(const char *words, const char *version, const char *pretend);
void drop_answer(struct answer *a);

#endif

/** Numbers of WASI preview 1 (the witx files of wasi_snapshot_preview1). */
export const errno = {
  OK: 0,
  ACCES: 2,
  BADF: 8,
  EXIST: 20,
  FBIG: 22,
  INVAL: 28,
  IO: 29,
  ISDIR: 31,
  MFILE: 33,
  NAMETOOLONG: 37,
  NOENT: 44,
  NOSPC: 51,
  NOSYS: 52,
  NOTDIR: 54,
  NOTEMPTY: 55,
  NOTSUP: 58,
  PERM: 63,
  SPIPE: 70,
  NOTCAPABLE: 76,
};
export const fileType = { unknown: 0, character: 2, folder: 3, file: 4 };
export const openFlag = { create: 1, folder: 2, exclusive: 4, truncate: 8 };
export const descriptorFlag = { append: 1 };

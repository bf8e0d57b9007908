/** Names that a file system may take for `.git`: a checkout of such a file lets its author run commands at the next `git status`. Pure. */

/** HFS+ and casefolding ext4 ignore these inside a name, and they are invisible. */
const ignorable = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

/** 8.3 names that FAT and NTFS give to `.git`: numbered, and hashed where the numbered ones are taken. */
const shortName = /^(?:git~\d+|gi[0-9a-f]{4}~\d+)$/

/**
 * Whether one segment of a path is `.git` to Git or to some file system: in any letter case, with ignorable code points inside, in compatibility forms
 * (ZFS), with what Windows cuts off (trailing dots and spaces, `:stream`), or as a short name.
 */
export function isGitName(segment: string): boolean {
  const [name = ''] = segment.normalize('NFKC').replace(ignorable, '').toLowerCase().split(':')
  const bare = name.replace(/[. ]+$/, '')
  return bare === '.git' || shortName.test(bare)
}

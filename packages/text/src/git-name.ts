/**
 * Names that a file system may treat as `.git`: checking out such a file lets its author run commands at the next
 * `git status`. Pure.
 */

/** Invisible characters that HFS+ and casefolding ext4 ignore in names. */
const ignorable = /[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu

/** What nearly every segment is: of ASCII, in which nothing is ignored, and does not begin like any of these names. */
const isPlain = /^(?!\.git|gi)[ -~]*$/i

/** 8.3 names of `.git` on FAT and NTFS: numbered, or hashed if the numbered ones are taken. */
const shortName = /^(?:git~\d+|gi[0-9a-f]{4}~\d+)$/

/**
 * Whether one segment of a path is `.git` to Git or to some file system: in any letter case, with ignorable code points
 * inside, in compatibility forms (ZFS), with suffixes that Windows strips (trailing dots and spaces, `:stream`), or as
 * a short name.
 */
export function isGitName(segment: string): boolean {
  if (isPlain.test(segment)) return false
  const [name = ''] = segment.normalize('NFKC').replace(ignorable, '').toLowerCase().split(':')
  const bare = name.replace(/[. ]+$/, '')
  return bare === '.git' || shortName.test(bare)
}

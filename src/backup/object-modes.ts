/** What a backup has of the objects: copies, links on the same disk, a list alone, or nothing. */
export const objectModes = ['copy', 'link', 'list', 'none'] as const
export type ObjectMode = (typeof objectModes)[number]

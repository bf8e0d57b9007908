/** What the rules for secrets use of Node's `path`, in a page: the name at the end of a path. */
export default { basename: (path: string): string => path.slice(path.lastIndexOf('/') + 1) }

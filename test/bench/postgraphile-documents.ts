// @module-tag own-graph
/** What PostGraphile is asked in its own graph, which it makes of the tables: as much as the hub is asked beside it. */

/** Twenty repos. */
export const postgraphileRepos = `{ allRepos(first: 20, orderBy: [PRIMARY_KEY_DESC]) {
  nodes { rowId slug kind visibility description tags createdAt updatedAt } } }`

/** Twenty repos with twenty files of each. */
export const postgraphileFiles = `{ allRepos(first: 20, orderBy: [PRIMARY_KEY_DESC]) {
  nodes { rowId slug fileCount filesByRepoId(first: 20, orderBy: [PATH_ASC], condition: { toSeq: null }) {
  nodes { path blobByBlobId { size sha256 } } } } } }`

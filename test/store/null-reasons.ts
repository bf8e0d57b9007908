/** Columns that the catalogue says can be null, or cannot, and why the statement that reads them knows better. */
export const nullReasons: Readonly<Record<string, string>> = {
  'blobs-readable: column sha256': 'It selects blobs by their digest.',
  'rollout-episodes: column sha256': 'An episode has one part, which the hub hashes before it is kept.',
  'rollout-episode-contents: column sha256': 'It selects blobs by their digest.',
  'hosted-call-take: column sealedToken': 'A check of the table has it for each pending call.',
  'robot-check-sources: column sha256': 'A check is queued only when all of its files are hashed.',
  'runs-silent-calls: column callId': 'A job that was dispatched has a call.',
  'robot_checks-silent-calls: column callId': 'A job that was dispatched has a call.',
  'endpoints-silent-calls: column callId': 'A job that was dispatched has a call.',
  'endpoint-dispatch: column tier': 'One kind of job of three, of which checks have no tier.',
  'files-tree-at: column path': 'Rows without a path are dropped before anything else of them is read.',
  'files-tree-at: column size': 'Rows without a path are dropped before anything else of them is read.',
  'files-tree-at: column updatedAt': 'Rows without a path are dropped before anything else of them is read.',
  'files-entries-at: column path': 'Rows without a file are folders, or dropped, before anything else of them is read.',
  'files-entries-at: column size': 'Rows without a file are folders, or dropped, before anything else of them is read.',
  'files-entries-at: column updatedAt':
    'Rows without a file are folders, or dropped, before anything else of them is read.',
  'files-stored-at: column path': 'Rows without a path are dropped before anything else of them is read.',
  'files-stored-at: column size': 'Rows without a path are dropped before anything else of them is read.',
  'files-stored-at: column updatedAt': 'Rows without a path are dropped before anything else of them is read.',
  'files-stored-at: column storageKey': 'Rows without a path are dropped before anything else of them is read.',
}

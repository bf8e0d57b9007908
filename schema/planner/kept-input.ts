/** The input fields that people keep runs by: of createRun, startRun, importRun and updateRun. */

import { lineText, MAX_NOTES_BYTES, MAX_RUN_TAGS, notesText, runTagList } from '@hub/formats/text-rules'
import { type InputFields, rule } from '../input-field.ts'

const LINE = 'One line of text.'

/** Null and absent are the same, except in `updateRun`. */
export function keptRunFields(t: InputFields) {
  return {
    project: t.string({ ...rule(lineText(128)), description: `The project that the run is part of. ${LINE}` }),
    name: t.string({ ...rule(lineText(200)), description: `Name of the run, shown as \`displayName\`. ${LINE}` }),
    notes: t.string({
      ...rule(notesText),
      description: `Notes on the run, in lines; at most ${MAX_NOTES_BYTES / 1024} KiB of UTF-8. Empty notes count as none.`,
    }),
    tags: t.stringList({
      ...rule(runTagList),
      description: `At most ${MAX_RUN_TAGS} lines of 1 to 64 characters; duplicates are dropped.`,
    }),
    group: t.string({ ...rule(lineText(128)), description: `The group of runs that belong together. ${LINE}` }),
    jobType: t.string({
      ...rule(lineText(128)),
      description: `The part that the run has in its group, such as \`train\` or \`eval\`. ${LINE}`,
    }),
  }
}

/** Hosted calls that outlive the hub of a test, as they outlive any hub. */
import { openCallNotes } from '../../src/hosting/process/call-notes.ts'
import { callClearing } from '../../src/hosting/process/clear-call.ts'
import { signalGroup } from '../../src/hosting/process/process-group.ts'

/** Ends every call on a data folder whose hubs are gone, and removes what it has. */
export async function endLeftCalls(dataDir: string): Promise<void> {
  const notes = openCallNotes(dataDir)
  const clearing = callClearing(dataDir, notes)
  for (const callId of await notes.list()) {
    const note = await notes.read(callId)
    if (note !== null) await signalGroup(note.mark, 'SIGKILL')
    await clearing.clear(callId, note?.mark ?? null)
  }
}

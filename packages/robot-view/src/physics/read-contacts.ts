/** Where a model touches itself or its ground. */
import type { Data } from './mujoco.ts'

/** More are not told: a pile of objects has thousands. */
const MAX_CONTACTS = 256

/**
 * Six numbers of each contact, in the frame of the world: its place in m, and the direction from the first shape to the
 * second.
 */
export function contactsAt(data: Data): Float32Array<ArrayBuffer> {
  const count = Math.min(data.ncon, MAX_CONTACTS)
  const found = new Float32Array(6 * count)
  if (count === 0) return found
  // Vector and members are handles into the memory of the module: each is freed.
  const all = data.contact
  for (let at = 0; at < count; at += 1) {
    const contact = all.get(at)
    if (!contact) continue
    const [place, frame] = [contact.pos as ArrayLike<number>, contact.frame as ArrayLike<number>]
    for (let part = 0; part < 3; part += 1) {
      found[6 * at + part] = place[part] ?? 0
      found[6 * at + 3 + part] = frame[part] ?? 0
    }
    contact.delete()
  }
  all.delete()
  return found
}

/** What kind of model a root element begins; MuJoCo looks at it alone, whatever the file is called. */
import type { XmlElement } from '../xml/element.ts'

/** Null for a root that begins no model. */
export function formatOf(root: XmlElement): 'mjcf' | 'urdf' | null {
  const name = root.name.toLowerCase()
  return name === 'mujoco' ? 'mjcf' : name === 'robot' ? 'urdf' : null
}

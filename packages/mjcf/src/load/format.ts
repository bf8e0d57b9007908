/** The format by root element; MuJoCo ignores the file name. */
import type { XmlElement } from '../xml/element.ts'

/** Null if the root is not of a model. */
export function formatOf(root: XmlElement): 'mjcf' | 'urdf' | null {
  const name = root.name.toLowerCase()
  return name === 'mujoco' ? 'mjcf' : name === 'robot' ? 'urdf' : null
}

/**
 * The files that a check may make. Pure. Spec, "POST /v1/robot-checks/{check_id}/artifacts"; contract,
 * `robot_card.json` of a check.
 */
import type { CheckKind } from '../check-parts.ts'

export const CARD_NAME = 'robot_card.json'

const ofRobot = [CARD_NAME, 'thumbnail.png', 'thumbnail-dark.png']

/** `robots/arm.urdf` is converted to `robots/arm.xml`. */
const convertedName = (entry: string | null) =>
  entry !== null && /\.urdf$/i.test(entry) ? entry.replace(/\.urdf$/i, '.xml') : null

/** Whether `name` is an accepted kind of artifact of a check with this entry. */
export function isArtifactName(
  name: string,
  { kind, entry }: { readonly kind: CheckKind; readonly entry: string | null },
): boolean {
  if (ofRobot.includes(name) || name.startsWith('meshes/') || name === convertedName(entry)) return true
  return kind === 'model' && (name === 'manifest.json' || name.startsWith('policy/') || /^[^/]+\.onnx$/i.test(name))
}

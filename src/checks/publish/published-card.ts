/**
 * The card that a robot check publishes: the drafted one, with the stills that the check made. Pure. Spec, "POST
 * /v1/robot-checks/{check_id}/artifacts".
 */
import { isJsonObject } from '@hub/formats/exact-json'
import { CARD_NAME } from '../artifacts/artifact-name.ts'
import type { CheckArtifact, CheckKind, Document } from '../check-parts.ts'

export const STILLS = { light: 'thumbnail.png', dark: 'thumbnail-dark.png' } as const

/** `thumbnail_paths` is set if both stills exist, with the `render_key` of the draft, and omitted otherwise. */
export function cardToPublish(
  { thumbnail_paths: drafted, ...card }: Document,
  artifacts: readonly Pick<CheckArtifact, 'name'>[],
): Document {
  const names = new Set(artifacts.map(({ name }) => name))
  if (!names.has(STILLS.light) || !names.has(STILLS.dark)) return card
  const renderKey = isJsonObject(drafted) && drafted.render_key != null ? { render_key: drafted.render_key } : {}
  return { ...card, thumbnail_paths: { ...STILLS, ...renderKey } }
}

/** Which artifacts become files. The `robot_card.json` of a model check only carries its needs. */
export function filesToPublish<Artifact extends Pick<CheckArtifact, 'name'>>(
  kind: CheckKind,
  artifacts: readonly Artifact[],
): Artifact[] {
  return artifacts.filter(({ name }) => kind === 'robot' || name !== CARD_NAME)
}

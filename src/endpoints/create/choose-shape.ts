/** Which artifact of a model repo a request is about. Pure. Spec, createEndpoint rule 2. */
import { HubError, type PlainErrorType } from '../../platform/errors.ts'
import type { ArtifactKind } from '../endpoint-shape.ts'

export interface ArtifactRequest {
  readonly onnxPath?: string | null
  readonly policyPath?: string | null
}

/** An ONNX file, or a checkpoint directory; the empty path is the root of the repo. */
export interface ArtifactShape {
  readonly kind: ArtifactKind
  readonly path: string
}

/** Why there is nothing to serve. `below` are ONNX files in folders, which have to be named. Pure. */
export function nothingToServe(repo: string, below: readonly string[]): string {
  const neither = `${repo} holds nothing to serve: neither an ONNX file at its root nor a directory with manifest.json and policy/.`
  const [first] = below
  if (first === undefined) return neither
  return (
    `${neither} In its folders it has ONNX files: name one as onnx_path, such as ${JSON.stringify(first)}, or bring the ` +
    'checkpoint of a run to the root of a model repo (hub runs promote RUN OWNER/NAME).'
  )
}

/**
 * The shape that the request names, or the only one of those `found`; null if there is no shape. Errors: 422 both
 * paths, or several shapes of which the request has to name one.
 */
export function chooseShape(
  { onnxPath, policyPath }: ArtifactRequest,
  found: readonly ArtifactShape[],
  repo: string,
): ArtifactShape | null {
  if (onnxPath != null && policyPath != null)
    throw refused('validation.value', 'An endpoint serves one artifact: give onnx_path or policy_path.', 'policyPath')
  if (onnxPath != null) return { kind: 'onnx', path: onnxPath }
  if (policyPath != null) return { kind: 'checkpoint', path: policyPath }
  const [onnx, checkpoints] = [of('onnx', found), of('checkpoint', found)]
  if (onnx.length > 0 && checkpoints.length > 0)
    throw refused(
      'validation.required',
      `${repo} holds an ONNX file and a checkpoint directory: give onnx_path (${named(onnx)}) or policy_path (${named(checkpoints)}).`,
      'policyPath',
    )
  const [only] = [...onnx, ...checkpoints]
  // The checkpoint of the repo itself is meant, not one of those that a training run left behind.
  const own = checkpoints.find(({ path }) => path === '')
  if (own) return own
  if (!only) return null
  if (onnx.length > 1)
    throw refused('validation.required', `${repo} holds several ONNX files: give one of ${named(onnx)}.`, 'onnxPath')
  if (checkpoints.length > 1) {
    const detail = `${repo} holds several checkpoint directories: give one of ${named(checkpoints)}.`
    throw refused('validation.required', detail, 'policyPath')
  }
  return only
}

const of = (kind: ArtifactKind, found: readonly ArtifactShape[]) => found.filter((shape) => shape.kind === kind)

const named = (shapes: readonly ArtifactShape[]) =>
  shapes.map(({ path, kind }) => JSON.stringify(kind === 'checkpoint' && path === '' ? 'policy' : path)).join(', ')

function refused(type: PlainErrorType, detail: string, member: 'onnxPath' | 'policyPath'): HubError {
  return new HubError(type, detail, { items: [{ type, detail, loc: [member] }] })
}

/**
 * Where a checkpoint may be that a path names: the directory itself, or the one that holds this `policy/`, since no
 * path names the root.
 */
export function placesOf({ path }: ArtifactShape): readonly string[] {
  if (path === 'policy') return [path, '']
  return path.endsWith('/policy') ? [path, path.slice(0, -'/policy'.length)] : [path]
}

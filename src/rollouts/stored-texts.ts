/** What a result was made under, as the texts of JSON that its row has, each within its limit. */
import { canonicalText } from '@hub/formats/canonical-hash'
import { writeExact } from '@hub/formats/exact-json'
import { HubError } from '../platform/errors.ts'
import { MAX_CAMERAS_BYTES, MAX_CONDITIONS_BYTES, MAX_SOFTWARE_BYTES } from './limits.ts'
import type { Conditions } from './rollout-rows.ts'

interface Given {
  readonly conditions: Conditions
  readonly software: Readonly<Record<string, string>>
  readonly cameras: Readonly<Record<string, string>> | null
}

/** 422 `validation.too_long` names the one that is too large. */
export function storedTexts({ conditions, software, cameras }: Given) {
  const conditionsText = writeExact(conditions)
  if (Buffer.byteLength(conditionsText) > MAX_CONDITIONS_BYTES)
    throw tooLarge('task', 'The task and the disturbance are over 64 KiB of JSON; shorten its description.')
  const softwareText = writeExact(software)
  if (Buffer.byteLength(softwareText) > MAX_SOFTWARE_BYTES)
    throw tooLarge('software', 'The names and versions of the software are over 4 KiB of JSON; name fewer.')
  // Canonical, since gates compare the text.
  const camerasText = cameras ? canonicalText(cameras) : null
  if (camerasText !== null && Buffer.byteLength(camerasText) > MAX_CAMERAS_BYTES)
    throw tooLarge('cameras', 'The names of the cameras are over 4 KiB of JSON; shorten them.')
  return { conditionsText, softwareText, camerasText }
}

function tooLarge(member: string, detail: string): HubError {
  return new HubError('validation.failed', detail, { items: [{ type: 'validation.too_long', detail, loc: [member] }] })
}

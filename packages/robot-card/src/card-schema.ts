/**
 * A robot card in `/v1` names: the body of the card PUT, a candidate of validate and the content of a
 * `robot_card.json`. Spec, "RobotCardPut". Unknown members are rejected, except in actuators, whose vendor fields are
 * kept unchanged.
 */

import { filePath } from '@hub/formats/file-path-rule'
import { sha256Text, wordText } from '@hub/formats/text-rules'
import { z } from 'zod'
import { interfaceSchema } from './interface-schema.ts'
import { count, jointMap, nameText, number } from './schema-parts.ts'

const MAX_DESCRIPTION_BYTES = 256 * 1024
const OVER_DESCRIPTION = 'must be at most 256 KiB of UTF-8'

const jointLimits = z.strictObject({
  lower: number.nullish().describe('In rad (hinge) or m (slide).'),
  upper: number.nullish().describe('In rad (hinge) or m (slide).'),
  velocity: number.nullish().describe('In rad/s (hinge) or m/s (slide).'),
  effort: number.nullish().describe('In N*m (hinge) or N (slide).'),
})

const actuator = z.looseObject({
  name: nameText.describe('Name used by the manufacturer or in the model.'),
  model: z.string().max(256).nullish().describe('Part number or model name.'),
  count: count.nullish().describe('Number of them on the robot.'),
})

export const actuatorList = z.array(actuator)

/** As actuators are read: with every member that the interface lists. */
export const shownActuators = z.array(
  actuator.extend({ model: actuator.shape.model.unwrap().unwrap().nullable(), count: count.nullable() }),
)

const statuses = ['pass', 'warn', 'fail', 'skip'] as const

const validationCheck = z.strictObject({
  code: wordText.describe('Stable, machine-readable.'),
  status: z.enum(statuses),
  message: z.string().max(10_000),
  names: z.array(z.string().max(1024)).describe('Joints, files or fields at fault.'),
  hint: z.string().max(10_000).nullish().describe('One-line fix.'),
  loc: z
    .array(z.union([z.string().max(1024), z.int()], 'must be a string or an integer'))
    .nullish()
    .describe('Path into the card.'),
  data: z.record(z.string(), z.unknown()).nullish().describe('Measured values behind the result.'),
})

const validationRecord = z.strictObject({
  engine: wordText.describe('Engine that ran the checks.'),
  engine_version: z.string().max(64).nullish(),
  checked_at: z.iso.datetime({ offset: true, error: 'must be an RFC 3339 date-time such as 2026-01-31T09:30:00.000Z' }),
  checks: z.array(validationCheck),
  check_id: z.string().max(64).nullish().describe('Id of the hosted check that produced the report.'),
})

const thumbnailPaths = z.strictObject({
  light: filePath.describe('Path of a file in the repo.'),
  dark: filePath.describe('Path of a file in the repo.'),
  render_key: sha256Text.nullish().describe('SHA-256 over the inputs of the rendering.'),
})

const description = z
  .string()
  .max(MAX_DESCRIPTION_BYTES, { error: OVER_DESCRIPTION, abort: true })
  .refine((text) => Buffer.byteLength(text) <= MAX_DESCRIPTION_BYTES, OVER_DESCRIPTION)

export const robotCardPut = z
  .strictObject({
    dof: count.describe('Degrees of freedom.'),
    actuators: actuatorList.nullish().describe('Vendor fields are kept unchanged.'),
    mass_kg: number.min(0).nullish(),
    limits: jointMap(jointLimits).nullish().describe('By joint name, in SI units.'),
    mjcf_path: filePath.nullish().describe('Path of the model, an MJCF or URDF file in this repo.'),
    description_md: description.nullish().describe('Markdown, at most 256 KiB.'),
    interface: interfaceSchema.nullish().describe('The embodiment interface; null stores a card without one.'),
    validation: validationRecord.nullish().describe("The publisher's own last validation report; kept unchanged."),
    thumbnail_paths: thumbnailPaths
      .nullish()
      .describe('Still images of the robot in its default pose, 640x480, one per theme.'),
  })
  .meta({
    title: 'RobotCardPut',
    description: 'A robot card. Absent members are stored as absent and returned as null or an empty list.',
  })

/** A card that matches the schema, as submitted. */
export type RobotCardDocument = z.output<typeof robotCardPut>

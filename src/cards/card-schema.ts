/**
 * A robot card in the names of `/v1`: the body of the card PUT, a candidate of validate and the content of a `robot_card.json`. Spec, "RobotCardPut".
 * Unknown members are refused, save in actuators, whose vendor fields are kept as they are.
 */
import { z } from 'zod'
import { filePath } from '../platform/file-path.ts'
import { sha256Text, wordText } from '../platform/text-rules.ts'
import { interfaceSchema } from './interface-schema.ts'
import { count, jointMap, nameText, number } from './schema-parts.ts'

const MAX_DESCRIPTION_BYTES = 256 * 1024
const OVER_DESCRIPTION = 'must be at most 256 KiB of UTF-8'

const jointLimits = z.strictObject({
  lower: number.nullish().describe('Rad, or m.'),
  upper: number.nullish().describe('Rad, or m.'),
  velocity: number.nullish().describe('Rad/s, or m/s.'),
  effort: number.nullish().describe('N*m, or N.'),
})

const actuator = z.looseObject({
  name: nameText.describe('How the maker or the model calls it.'),
  model: z.string().max(256).nullish().describe('Part number or type.'),
  count: count.nullish().describe('How many of it the robot has.'),
})

export const actuatorList = z.array(actuator)

const statuses = ['pass', 'warn', 'fail', 'skip'] as const

const validationCheck = z.strictObject({
  code: wordText.describe('Stable, machine-readable.'),
  status: z.enum(statuses),
  message: z.string().max(10_000),
  names: z.array(z.string().max(1024)).describe('Offending joints, files or fields.'),
  hint: z.string().max(10_000).nullish().describe('One-line fix.'),
  loc: z
    .array(z.union([z.string().max(1024), z.int()], 'must be a text or an integer'))
    .nullish()
    .describe('Path into the card body.'),
  data: z.record(z.string(), z.unknown()).nullish().describe('The numbers behind the verdict.'),
})

const validationRecord = z.strictObject({
  engine: wordText.describe('What ran the checks.'),
  engine_version: z.string().max(64).nullish(),
  checked_at: z.iso.datetime({ offset: true, error: 'must be an RFC 3339 date-time such as 2026-01-31T09:30:00.000Z' }),
  checks: z.array(validationCheck),
  check_id: z.string().max(64).nullish().describe('The hosted check that made it.'),
})

const thumbnailPaths = z.strictObject({
  light: filePath.describe('A file of the repo.'),
  dark: filePath.describe('A file of the repo.'),
  render_key: sha256Text.nullish().describe('SHA-256 over what the stills were rendered from.'),
})

const description = z
  .string()
  .max(MAX_DESCRIPTION_BYTES, { error: OVER_DESCRIPTION, abort: true })
  .refine((text) => Buffer.byteLength(text) <= MAX_DESCRIPTION_BYTES, OVER_DESCRIPTION)

export const robotCardPut = z
  .strictObject({
    dof: count.describe('Degrees of freedom.'),
    actuators: actuatorList.nullish().describe('Vendor fields are kept as they are.'),
    mass_kg: number.min(0).nullish(),
    limits: jointMap(jointLimits).nullish().describe('By joint name, in SI units.'),
    mjcf_path: filePath.nullish().describe('The model: an MJCF or URDF file of this repo.'),
    description_md: description.nullish().describe('Markdown, at most 256 KiB.'),
    interface: interfaceSchema
      .nullish()
      .describe('What a policy needs to know of the robot; null stores a card without one.'),
    validation: validationRecord.nullish().describe("The publisher's own last report; kept as it is given."),
    thumbnail_paths: thumbnailPaths
      .nullish()
      .describe('Stills of the robot at its default pose, 640x480, one a theme.'),
  })
  .meta({
    title: 'RobotCardPut',
    description: 'A robot card. What is left out is stored as left out, and answered as null or an empty list.',
  })

/** A card that holds to the schema, as it was given. */
export type RobotCardDocument = z.output<typeof robotCardPut>

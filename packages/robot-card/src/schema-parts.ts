/** Shared schemas of a card. `z.number()` rejects the infinity that JSON's `1e999` parses to. */
import { z } from 'zod'

export const number = z.number()

/** GraphQL's integers have 32 bits. */
const MAX_INT32 = 2 ** 31 - 1
export const integer = z.int().min(-MAX_INT32).max(MAX_INT32)
export const count = z.int().min(0).max(MAX_INT32)

/** The name of a joint, body, site or keyframe: any string that a model allows. */
export const nameText = z.string().min(1).max(1024)

/** An object with joint names as keys. */
export const jointMap = <T extends z.ZodType>(value: T) => z.record(nameText, value)

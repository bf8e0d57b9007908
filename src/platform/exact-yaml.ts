/** YAML whose numbers keep their digits. Of YAML 1.2: `no` is a text, and so is a date. */
import { ExactNumber } from '@hub/formats/exact-json'
import { CORE_SCHEMA, defineScalarTag, floatCoreTag, intCoreTag, mergeTag, NOT_RESOLVED } from 'js-yaml'

/** Seeds have up to 64 bits: rounded to doubles, different seeds could be equal. */
const exactInteger = defineScalarTag<number | bigint>(intCoreTag.tagName, {
  implicit: intCoreTag.implicit,
  implicitFirstChars: intCoreTag.implicitFirstChars,
  resolve: (source, isExplicit, tagName) => {
    const value = intCoreTag.resolve(source, isExplicit, tagName)
    if (value === NOT_RESOLVED || Number.isSafeInteger(value) || !/^[+-]?\d+$/.test(source)) return value
    return BigInt(source.replace(/^\+/, ''))
  },
  identify: () => false,
})

/** A number in JSON syntax keeps its digits if a double would be printed differently. */
const exactFloat = defineScalarTag<number | ExactNumber>(floatCoreTag.tagName, {
  implicit: floatCoreTag.implicit,
  implicitFirstChars: floatCoreTag.implicitFirstChars,
  resolve: (source, isExplicit, tagName) => {
    const value = floatCoreTag.resolve(source, isExplicit, tagName)
    const keeps =
      value !== NOT_RESOLVED && Number.isFinite(value) && /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(source)
    return keeps && String(value) !== source ? new ExactNumber(source) : value
  },
  identify: () => false,
})

/** The schema of documents that others wrote: numbers are `number`, `bigint` or `ExactNumber`, and `<<` merges. */
export const exactSchema = CORE_SCHEMA.withTags(mergeTag, exactInteger, exactFloat)

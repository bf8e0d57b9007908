/**
 * What is wrong inside free-form JSON, as `/v1` tells it: the rules of the graph, whatever else is wrong with the
 * request.
 */
import { freeFormFaults, UNSAFE_NAME } from '@hub/formats/free-form-faults'
import type { ErrorItem, Loc } from '../../src/platform/errors.ts'

interface FreeFormFault {
  readonly type: ErrorItem['type']
  readonly detail: string
  readonly at: Loc
}

/** The faults inside a free-form value and their places in it; one that is too large is told at its own place. */
export const placedFaults = (value: unknown): FreeFormFault[] =>
  freeFormFaults(value).map(({ message, loc, tooMuch }) => ({
    type: message === UNSAFE_NAME ? 'validation.unknown_member' : 'validation.value',
    detail: message,
    at: tooMuch ? [] : loc,
  }))

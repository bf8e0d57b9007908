/**
 * Every operation of `/v1` as a function by its name, out of the OpenAPI document. A new operation needs no line here.
 */
import { z } from 'zod'
import type { Caller } from '../call.ts'
import { operationLines, textOperations } from '../operation-lines.ts'
import type { AnyParts, Request } from '../request.ts'
import type { CallSettings, OperationCalls, OperationName } from './types.ts'

/** What a call may be given. */
export type Given = AnyParts & CallSettings

type Read = (text: string) => unknown

/**
 * Calls one by its name: the answer is as the document of this version declares it, and is not checked again. `read`
 * parses it, by default with its numbers as they are written.
 */
export async function askOperation(
  caller: Caller,
  name: OperationName,
  { signal, key, ...parts }: Given,
  read?: Read,
): Promise<unknown> {
  const line: Request = operationLines[name]
  if (textOperations.has(name)) return caller.stream(line, parts as never, {}, signal ?? caller.signal)
  const call = caller.call as unknown as (line: Request, check: z.ZodType, given: Given & { read?: Read }) => unknown
  return call(line, z.unknown(), { ...parts, signal, key, read })
}

/** All of them, as calls of one caller. */
export function operationCalls(caller: Caller, read?: Read): OperationCalls {
  const names = Object.keys(operationLines) as OperationName[]
  const calls = names.map((name) => [name, (given: Given = {}) => askOperation(caller, name, given, read)])
  return Object.fromEntries(calls) as OperationCalls
}

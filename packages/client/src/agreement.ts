/**
 * Ties the client's runtime checks to the generated types of `/v1`: a check that disagrees with the OpenAPI document
 * does not compile.
 */
import type { z } from 'zod'
import type { DeepReadonly } from './deep-readonly.ts'
import type { Operations } from './v1.ts'

/** The JSON body of an operation. */
export type Body<Name extends keyof Operations> = Operations[Name] extends { body: infer Sent }
  ? DeepReadonly<Sent>
  : never

/** The JSON response of an operation as the document declares it. Untrusted until checked. */
export type Answer<Name extends keyof Operations> = Operations[Name] extends { answer: infer Given } ? Given : never

type KnownKeys<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] }

/** Whether `Given` has every member of `Read`, with an assignable type: true or false. */
type Fits<Given, Read> = unknown extends Given
  ? true
  : NonNullable<Given> extends readonly (infer One)[]
    ? NonNullable<Read> extends readonly (infer Item)[]
      ? Fits<One, Item>
      : false
    : NonNullable<Given> extends object
      ? NonNullable<Read> extends object
        ? false extends {
            [K in KnownKeys<Read>]: K extends keyof Given ? Fits<Given[K], Read[K]> : false
          }[KnownKeys<Read>]
          ? false
          : true
        : false
      : Exclude<Given, undefined> extends Read
        ? true
        : false

/** `Check` if its output fits `Given`; otherwise `never`, to which nothing is assignable. */
export type CheckFor<Given, Check extends z.ZodType> = Fits<Given, z.output<Check>> extends true ? Check : never

/** Returns `check` unchanged; does not compile unless it fits `Given`. */
export const conformsTo =
  <Given>() =>
  <Check extends z.ZodType>(check: CheckFor<Given, Check>): Check =>
    check

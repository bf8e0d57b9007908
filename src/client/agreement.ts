/** Ties what the client checks at run time to the generated types of `/v1`: a check that the OpenAPI document does not bear out does not compile. */
import type { z } from 'zod'
import type { Operations } from './v1.ts'

/** The JSON body of an operation. */
export type Body<Name extends keyof Operations> = Operations[Name] extends { body: infer Sent }
  ? Unchanged<Sent>
  : never

/** The JSON that an operation answers, as the document has it: not trusted before it is checked. */
export type Answer<Name extends keyof Operations> = Operations[Name] extends { answer: infer Given } ? Given : never

/** What is sent is only read. */
export type Unchanged<T> = T extends object ? { readonly [K in keyof T]: Unchanged<T[K]> } : T

type Named<T> = keyof { [K in keyof T as string extends K ? never : K]: T[K] }

/** Whether every member that is read is given, and holds what is given: true or false. */
type Fits<Given, Read> = unknown extends Given
  ? true
  : NonNullable<Given> extends readonly (infer One)[]
    ? NonNullable<Read> extends readonly (infer Item)[]
      ? Fits<One, Item>
      : false
    : NonNullable<Given> extends object
      ? NonNullable<Read> extends object
        ? false extends { [K in Named<Read>]: K extends keyof Given ? Fits<Given[K], Read[K]> : false }[Named<Read>]
          ? false
          : true
        : false
      : Exclude<Given, undefined> extends Read
        ? true
        : false

/** `Check` where it fits the answers of `Given`; nothing is of type `never`. */
export type Fitting<Given, Check extends z.ZodType> = Fits<Given, z.output<Check>> extends true ? Check : never

/** `check` itself, where it fits the answers of `Given`. */
export const reading =
  <Given>() =>
  <Check extends z.ZodType>(check: Fitting<Given, Check>): Check =>
    check

/**
 * Routes of the `/v1` table, type-checked against their documents: a route with an unknown variable, input member,
 * `unwrap` member or response member does not compile.
 */
import type { BodySource, FieldsSource, HeldAnswer, PathSource, QuerySource, Route } from './engine/route.ts'
import type { Documents } from './typed-documents.ts'

/** A route of one document, chosen by `document`. */
export type TypedRoute = { readonly [Name in keyof Documents]: RowsOf<Name> }[keyof Documents]

/** With `unwrap`, for each object in the root and each page one level below, and without. */
type RowsOf<Name extends keyof Documents> =
  | RowOf<Name, undefined, RootOf<Name>>
  | PagesBelow<Name, RootOf<Name>>
  | { [Member in ObjectsOf<RootOf<Name>>]: RowOf<Name, Member, Selected<NonNullable<RootOf<Name>[Member]>>> }[ObjectsOf<
      RootOf<Name>
    >]

type PagesBelow<Name extends keyof Documents, Root> = {
  [Outer in ObjectsOf<Root> & string]: {
    [Inner in PagesOf<NonNullable<Root[Outer]>> & string]: RowOf<
      Name,
      `${Outer}.${Inner}`,
      NonNullable<NonNullable<Root[Outer]>[Inner]>
    >
  }[PagesOf<NonNullable<Root[Outer]>> & string]
}[ObjectsOf<Root> & string]

type PagesOf<Outer> = {
  [Member in keyof Outer]-?: NonNullable<Outer[Member]> extends { readonly pageInfo: unknown } ? Member : never
}[keyof Outer]

/** Without the empty object that stands for the types of a union that the document does not spread. */
type Selected<Answer> = Answer extends Readonly<Record<PropertyKey, never>> ? never : Answer

interface RowOf<Name extends keyof Documents, Member, Answer>
  extends Omit<Route, 'document' | 'params' | 'unwrap' | 'result' | 'onlyWhenSet' | 'headers' | 'held'> {
  readonly document: Name
  readonly params: {
    readonly [Variable in keyof Documents[Name]['variables']]-?: SourceOf<Documents[Name]['variables'][Variable]>
  }
  readonly unwrap?: Member
  readonly result: 'empty' | (Answer extends { readonly pageInfo: unknown } ? 'page' : 'object')
  readonly onlyWhenSet?: readonly ItemMember<Answer>[]
  readonly headers?: (answer: Answer) => Record<string, string>
  readonly held?: HeldAnswer & { readonly unwrap: ObjectsOf<RootOf<Name>> }
}

/** The type of the document's root field. */
type RootOf<Name extends keyof Documents> = NonNullable<Documents[Name]['answer'][keyof Documents[Name]['answer']]>

type ObjectsOf<Root> = {
  [Member in keyof Root]-?: NonNullable<Root[Member]> extends readonly unknown[]
    ? never
    : NonNullable<Root[Member]> extends object
      ? Member
      : never
}[keyof Root]

/** A member of the response, or of each of its items. */
type ItemMember<Answer> = Answer extends { readonly items: readonly (infer Item)[] } ? keyof Item : keyof Answer

/**
 * Allowed sources of a variable: an input object comes from the body or from separate fields, anything else from one
 * place in the URL.
 */
type SourceOf<Variable> = unknown extends Variable
  ? PathSource | QuerySource
  : NonNullable<Variable> extends readonly unknown[]
    ? PathSource | QuerySource
    : NonNullable<Variable> extends object
      ? BodySource<keyof NonNullable<Variable> & string> | FieldsSource<keyof NonNullable<Variable> & string>
      : PathSource | QuerySource<Word & Variable>

type Word = string | number | boolean | null

/**
 * Root fields: the helpers that create every query, mutation and subscription, so that none can omit its scope or
 * descriptions.
 */
import {
  type FieldNullability,
  InputFieldBuilder,
  type InputFieldMap,
  type InputShapeFromFields,
  type ShapeFromTypeParam,
  type TypeParam,
} from '@pothos/core'
import type { PrismaObjectRef } from '@pothos/plugin-prisma'
import type { GraphQLResolveInfo } from 'graphql'
import type { z } from 'zod'
import type { RequestContext } from '../src/operation/context.ts'
import { placedAt } from '../src/operation/event-place.ts'
import type { DeclaredSize } from '../src/platform/declared-size.ts'
import { builder } from './builder.ts'
import type { InputFields } from './input-field.ts'
import { type OperationScope, operation } from './operation-scope.ts'
import { placedUnder } from './rule-faults.ts'

type Types = typeof builder.$inferSchemaTypes
type Result<Type extends TypeParam<Types>, Nullable extends FieldNullability<Type>> = ShapeFromTypeParam<
  Types,
  Type,
  Nullable
>

/**
 * Pothos cannot relate a helper's type parameters to its own; the helper's signature type-checks its callers instead.
 */
const generic = (resolve: unknown) => resolve as never

interface RootField<Type extends TypeParam<Types>, Nullable extends FieldNullability<Type>> extends DeclaredSize {
  readonly type: Type
  readonly nullable?: Nullable
  readonly description: string
  /** Checked first; `none` means every caller may, also an anonymous one. */
  readonly scope: OperationScope
}

interface Input<Fields extends InputFieldMap> {
  readonly description: string
  readonly fields: (t: InputFields) => Fields
  readonly rule?: z.ZodType
}

/**
 * The input type of a mutation. A separate call, so that TypeScript infers the fields before it checks the verb. `rule`
 * is for what no field says alone, and takes the members as they were sent; its issues are told with those of fields.
 */
export const input = <Fields extends InputFieldMap>(
  description: string,
  fields: (t: InputFields) => Fields,
  rule?: z.ZodType,
): Input<Fields> => ({ description, fields, ...(rule && { rule }) })

/** The payload member that holds the result of a mutation. */
interface PayloadMember {
  readonly name: string
  readonly description: string
}

interface Mutation<Type extends TypeParam<Types>, Nullable extends FieldNullability<Type>, Fields extends InputFieldMap>
  extends RootField<Type, Nullable> {
  /** The only argument, `input`; its type is named after the mutation. */
  readonly input: Input<Fields>
  /**
   * Set when `type` is shared with other fields: the payload member that holds it, so that further members (such as
   * warnings) can be added. `nullable` then applies to the member.
   */
  readonly payload?: PayloadMember
  /**
   * Throws 404 when the target named by the input is not visible to the caller: `targetRepo`, `targetRun`. Without it a
   * missing scope is 403.
   */
  readonly target?: (ctx: RequestContext, input: InputShapeFromFields<Fields>) => Promise<unknown>
  readonly verb: (ctx: RequestContext, input: InputShapeFromFields<Fields>) => Promise<Result<Type, Nullable>>
}

/**
 * Adds a mutation: `createRepo` takes `input: CreateRepoInput!` and returns `CreateRepoPayload!`, or a type of its own.
 */
export function mutation<
  Type extends TypeParam<Types>,
  Fields extends InputFieldMap,
  Nullable extends FieldNullability<Type> = false,
>(name: string, { input, scope, target, verb, payload, ...field }: Mutation<Type, Nullable, Fields>): void {
  type Args = { readonly input: InputShapeFromFields<Fields> }
  const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const { rule, ...declared } = input
  const InputType = builder.inputType(`${typeName}Input`, declared)
  const run = async (ctx: RequestContext, args: Args): Promise<unknown> => {
    try {
      return await verb(ctx, args.input)
    } catch (error) {
      throw placedUnder('input', error)
    }
  }
  builder.mutationField(name, (t) =>
    t.field({
      ...field,
      ...(payload && {
        type: payloadType(`${typeName}Payload`, payload, field) as unknown as Type,
      }),
      ...nullableRoot,
      ...operation(name, scope, target && ((ctx: RequestContext, args: Args) => target(ctx, args.input))),
      args: {
        input: t.arg({
          type: InputType,
          required: true,
          description: input.description,
          ...(rule && { extensions: { rule } }),
        }),
      },
      resolve: generic((_root: unknown, args: Args, ctx: RequestContext) =>
        payload ? run(ctx, args).then((answer) => ({ answer })) : run(ctx, args),
      ),
    }),
  )
}

/** Of every root field: one that fails leaves its siblings their data. */
const nullableRoot = { nullable: generic(true) }

/** The source object of a payload: the result of the verb. */
interface Answered<Answer> {
  readonly answer: Answer
}

/** The payload type: an object with one member, the result of the verb. */
function payloadType<Type extends TypeParam<Types>, Nullable extends FieldNullability<Type>>(
  typeName: string,
  { name, description }: PayloadMember,
  { type, nullable }: Pick<RootField<Type, Nullable>, 'type' | 'nullable'>,
) {
  return builder.objectRef<Answered<unknown>>(typeName).implement({
    description: payloadText(typeName),
    fields: (t) => ({
      [name]: t.field({ type, nullable, description, resolve: generic(({ answer }: Answered<unknown>) => answer) }),
    }),
  })
}

const payloadText = (typeName: string) =>
  `Result of \`${typeName[0]?.toLowerCase()}${typeName.slice(1, -'Payload'.length)}\`.`

// biome-ignore lint/suspicious/noExplicitAny: any model, as the plugin has it
type Entity = PrismaObjectRef<Types, any, object>

interface EntityMutation<Type extends Entity, Fields extends InputFieldMap, Key>
  extends Pick<Mutation<Type, false, Fields>, 'type' | 'description' | 'scope' | 'input' | 'target'> {
  readonly payload: PayloadMember
  /** Returns the key of the entity. */
  readonly verb: (ctx: RequestContext, input: InputShapeFromFields<Fields>) => Promise<Key>
  /**
   * Reads the entity. Pass `query`, the selected columns and relations, to Prisma: a resolver that ignores it is an
   * error.
   */
  readonly read: (ctx: RequestContext, key: Key, query: object) => Promise<Type['$inferType']>
}

/** Adds a mutation whose payload holds a Prisma entity, read after the verb with the client's selection. */
export function entityMutation<Type extends Entity, Fields extends InputFieldMap, Key>(
  name: string,
  { type, payload, verb, read, ...field }: EntityMutation<Type, Fields, Key>,
): void {
  const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}Payload`
  const resolve = generic((query: object, { answer }: Answered<Key>, _args: unknown, ctx: RequestContext) =>
    read(ctx, answer, query),
  )
  const Payload = builder.objectRef<Answered<Key>>(typeName).implement({
    description: payloadText(typeName),
    fields: (t) => ({ [payload.name]: t.prismaField({ type, description: payload.description, resolve }) }),
  })
  mutation(name, { ...field, type: Payload, verb: async (ctx, input) => ({ answer: await verb(ctx, input) }) })
}

export type ArgFields = PothosSchemaTypes.InputFieldBuilder<Types, 'Arg'>

/** The arguments of a query or subscription. A separate call for the same reason. */
export const args = <Args extends InputFieldMap>(fields: (t: ArgFields) => Args): Args =>
  fields(new InputFieldBuilder(builder, 'Arg'))

interface Query<Type extends TypeParam<Types>, Nullable extends FieldNullability<Type>, Args extends InputFieldMap>
  extends RootField<Type, Nullable> {
  readonly args?: Args
  /** `info` is for reads that follow the selection: `selectedNodes`. */
  readonly read: (
    ctx: RequestContext,
    args: InputShapeFromFields<Args>,
    info: GraphQLResolveInfo,
  ) => Promise<Result<Type, Nullable>> | Result<Type, Nullable>
}

/** Adds a query. A listing returns a connection, and its arguments begin with `pageArgs(t)`. */
export function query<
  Type extends TypeParam<Types>,
  Args extends InputFieldMap,
  Nullable extends FieldNullability<Type> = false,
>(name: string, { args, scope, read, ...field }: Query<Type, Nullable, Args>): void {
  builder.queryField(name, (t) =>
    t.field({
      ...field,
      ...nullableRoot,
      ...operation(name, scope),
      args,
      resolve: generic(
        (_root: unknown, given: InputShapeFromFields<Args>, ctx: RequestContext, info: GraphQLResolveInfo) =>
          read(ctx, given, info),
      ),
    }),
  )
}

type Events<Event> = AsyncIterable<Event> | Promise<AsyncIterable<Event>>

interface Subscription<Type extends TypeParam<Types>, Args extends InputFieldMap> extends RootField<Type, false> {
  readonly args: Args
  /** Of a subscription with the argument `after`: the place of an event, and the argument that continues there. */
  readonly resume?: {
    readonly placeOf: (event: Result<Type, false>) => string
    readonly after: (place: string) => unknown
  }
  readonly events: (ctx: RequestContext, args: InputShapeFromFields<Args>) => Events<Result<Type, false>>
}

/** Adds a subscription: each value that `events` yields is sent unchanged. */
export function subscription<Type extends TypeParam<Types>, Args extends InputFieldMap>(
  name: string,
  { args, scope, resume, events, ...field }: Subscription<Type, Args>,
): void {
  builder.subscriptionField(name, (t) =>
    t.field({
      ...field,
      ...nullableRoot,
      ...operation(name, scope),
      args,
      subscribe: async (_root, given, ctx) => {
        if (!resume) return events(ctx, given)
        // A browser repeats its request as it was, and says how far it has come.
        const after = ctx.lastEventId ? { after: resume.after(ctx.lastEventId) } : {}
        return withPlaces(await events(ctx, { ...given, ...after }), resume.placeOf)
      },
      resolve: generic((event: unknown) => event),
    }),
  )
}

async function* withPlaces<Event>(events: AsyncIterable<Event>, placeOf: (event: Event) => string) {
  for await (const event of events) yield placedAt(placeOf(event), event as Event & object)
}

/** `resume` of a subscription whose events have a cursor. */
export const byCursor = {
  placeOf: ({ cursor }: { readonly cursor: string }) => cursor,
  after: (place: string) => place,
}

/** Root fields: the helpers by which every query, mutation and subscription is made, so that none forgets its scope or its texts. */
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
import type { RequestContext } from '../src/operation/context.ts'
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

/** A resolver over a helper's type parameters, which Pothos cannot compare with its own: the helper's signature holds its callers to them. */
const generic = (resolve: unknown) => resolve as never

interface RootField<Type extends TypeParam<Types>, Nullable extends FieldNullability<Type>> {
  readonly type: Type
  readonly nullable?: Nullable
  readonly description: string
  /** Asked before anything else; `none` for what anybody may call. */
  readonly scope: OperationScope
}

interface Input<Fields extends InputFieldMap> {
  readonly description: string
  readonly fields: (t: InputFields) => Fields
}

/** What a mutation takes, and the text of it. A call of its own, so that TypeScript knows the fields before it looks at the verb. */
export const input = <Fields extends InputFieldMap>(
  description: string,
  fields: (t: InputFields) => Fields,
): Input<Fields> => ({ description, fields })

/** The member of a payload that has what a mutation answers. */
interface PayloadMember {
  readonly name: string
  readonly description: string
}

interface Mutation<Type extends TypeParam<Types>, Nullable extends FieldNullability<Type>, Fields extends InputFieldMap>
  extends RootField<Type, Nullable> {
  /** The one argument, `input`, of a type that is called after the mutation. */
  readonly input: Input<Fields>
  /**
   * Where `type` is not the mutation's own: the member of a payload that holds it, so that the answer has room for more (warnings, say). `nullable` is
   * then said of the member.
   */
  readonly payload?: PayloadMember
  /** Throws 404 where the caller does not see what the input names: `targetRepo`, `targetRun`. Without it a missing scope is 403. */
  readonly target?: (ctx: RequestContext, input: InputShapeFromFields<Fields>) => Promise<unknown>
  readonly verb: (ctx: RequestContext, input: InputShapeFromFields<Fields>) => Promise<Result<Type, Nullable>>
}

/** Adds a mutation: `createRepo` takes `input: CreateRepoInput!` and answers `CreateRepoPayload!`, or a type of its own. */
export function mutation<
  Type extends TypeParam<Types>,
  Fields extends InputFieldMap,
  Nullable extends FieldNullability<Type> = false,
>(name: string, { input, scope, target, verb, payload, ...field }: Mutation<Type, Nullable, Fields>): void {
  type Args = { readonly input: InputShapeFromFields<Fields> }
  const typeName = `${name[0]?.toUpperCase()}${name.slice(1)}`
  const InputType = builder.inputType(`${typeName}Input`, input)
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
        nullable: false as Nullable,
      }),
      ...operation(scope, target && ((ctx: RequestContext, args: Args) => target(ctx, args.input))),
      args: { input: t.arg({ type: InputType, required: true, description: input.description }) },
      resolve: generic((_root: unknown, args: Args, ctx: RequestContext) =>
        payload ? run(ctx, args).then((answer) => ({ answer })) : run(ctx, args),
      ),
    }),
  )
}

/** What a payload is made from: what the verb gave. */
interface Answered<Answer> {
  readonly answer: Answer
}

/** The type of a payload: an object with one member, which holds what the verb gave. */
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
  `The answer to \`${typeName[0]?.toLowerCase()}${typeName.slice(1, -'Payload'.length)}\`.`

// biome-ignore lint/suspicious/noExplicitAny: any model, as the plugin has it
type Entity = PrismaObjectRef<Types, any, object>

interface EntityMutation<Type extends Entity, Fields extends InputFieldMap, Key>
  extends Pick<Mutation<Type, false, Fields>, 'type' | 'description' | 'scope' | 'input' | 'target'> {
  readonly payload: PayloadMember
  /** Answers what identifies the entity. */
  readonly verb: (ctx: RequestContext, input: InputShapeFromFields<Fields>) => Promise<Key>
  /** Reads it. `query` has the columns and relations that the client selected and belongs into the read: a resolver that leaves it out is an error. */
  readonly read: (ctx: RequestContext, key: Key, query: object) => Promise<Type['$inferType']>
}

/** Adds a mutation whose payload has an entity of Prisma, read after the verb as the client selected it. */
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

type ArgFields = PothosSchemaTypes.InputFieldBuilder<Types, 'Arg'>

/** What a query or subscription takes. A call of its own for the same reason. */
export const args = <Args extends InputFieldMap>(fields: (t: ArgFields) => Args): Args =>
  fields(new InputFieldBuilder(builder, 'Arg'))

interface Query<Type extends TypeParam<Types>, Nullable extends FieldNullability<Type>, Args extends InputFieldMap>
  extends RootField<Type, Nullable> {
  readonly args?: Args
  /** `info` is for what reads the columns that were selected: `selectedNodes`. */
  readonly read: (
    ctx: RequestContext,
    args: InputShapeFromFields<Args>,
    info: GraphQLResolveInfo,
  ) => Promise<Result<Type, Nullable>> | Result<Type, Nullable>
}

/** Adds a query. A listing's type is a connection, and its arguments begin with `t.connectionArgs()`. */
export function query<
  Type extends TypeParam<Types>,
  Args extends InputFieldMap,
  Nullable extends FieldNullability<Type> = false,
>(name: string, { args, scope, read, ...field }: Query<Type, Nullable, Args>): void {
  builder.queryField(name, (t) =>
    t.field({
      ...field,
      ...operation(scope),
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
  readonly events: (ctx: RequestContext, args: InputShapeFromFields<Args>) => Events<Result<Type, false>>
}

/** Adds a subscription: what `events` yields is sent as it is. */
export function subscription<Type extends TypeParam<Types>, Args extends InputFieldMap>(
  name: string,
  { args, scope, events, ...field }: Subscription<Type, Args>,
): void {
  builder.subscriptionField(name, (t) =>
    t.field({
      ...field,
      ...operation(scope),
      args,
      subscribe: (_root, given, ctx) => events(ctx, given),
      resolve: generic((event: unknown) => event),
    }),
  )
}

/** Text rules as zod schemas, used by verbs, GraphQL and OpenAPI. Contract, "Text". */
import { z } from 'zod'

const NAME = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'

/** 1..64 of a-z, 0-9 and inner hyphens. */
const nameText = z
  .string()
  .min(1)
  .max(64)
  .regex(new RegExp(`^${NAME}$`), 'must be lower-case letters, digits and inner hyphens')

/** Handle of an owner. */
export const handleText = nameText
/** Slug of a repo. */
export const slugText = nameText

/**
 * A repo's name as other clients write it: letters of both cases, digits and `._-`, with a letter or digit at both ends.
 */
export const hfNameText = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/i, 'must be letters, digits and inner ._-')

/** The slug of a repo with this name. */
export const slugOfName = (hfName: string) => hfName.toLowerCase().replaceAll(/[._]/g, '-')

/** What is wrong with a slug beside a name, or null: it has to be the one that follows from the name. */
export const slugFault = (slug: string, hfName: string): string | null =>
  slug === slugOfName(hfName)
    ? null
    : `is not the slug of the name, ${slugOfName(hfName)}; leave it out, or give that one`

/** What a new repo is called: a slug, a name that the slug follows from, or both where they agree. */
export const repoNames = z
  .looseObject({ slug: z.unknown().optional(), hfName: z.unknown().optional() })
  .superRefine(({ slug, hfName }, ctx) => {
    const add = (message: string, type: string) => {
      ctx.addIssue({ code: 'custom', path: ['slug'], message, params: { type } })
    }
    if (slug == null && hfName == null)
      add('is required, unless there is a name that it follows from', 'validation.required')
    const fault = typeof slug === 'string' && typeof hfName === 'string' ? slugFault(slug, hfName) : null
    if (fault !== null) add(fault, 'validation.value')
  })

const tagText = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._:+_-]{0,49}$/, 'must be 1 to 50 of a-z, 0-9 and ._:+-, starting with a letter or digit')

/** Whether the text can be a tag of a repo. */
export const isTag = (text: string): boolean => tagText.safeParse(text).success

/** At most 20 distinct tags; duplicates are dropped by the verb, so more may be sent. */
export const tagList = z.array(tagText).max(100)
export const MAX_TAGS = 20

const anyCaseTag = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._:+_-]{0,49}$/,
    'must be 1 to 50 letters, digits and ._:+-, starting with a letter or digit',
  )

/** Tags to search for, as cards write them: in any letter case. */
export const wantedTags = z.array(anyCaseTag).max(100)

/**
 * Why no text may be this, or null: PostgreSQL stores no NUL, and half a surrogate pair is nothing that UTF-8 can say.
 * Contract, "Text".
 */
export function textFault(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character'
  return text.isWellFormed() ? null : 'is not well-formed Unicode'
}

const isText = (text: string) => textFault(text) === null
/** Text of at most `max` characters. */
export const plainText = (max: number) => z.string().max(max).refine(isText, 'must be well-formed Unicode without NUL')

/** One line of 1 to `max` characters that is not blank: no control character. */
export const lineText = (max: number) =>
  plainText(max)
    .min(1)
    .refine((text) => !/\p{Cc}/u.test(text), 'must be one line without control characters')
    .refine((text) => text === '' || text.trim() !== '', 'must not be blank')

/** Notes on a run may have this much of UTF-8. */
export const MAX_NOTES_BYTES = 16 * 1024
export const notesText = plainText(MAX_NOTES_BYTES).refine(
  (text) => new TextEncoder().encode(text).length <= MAX_NOTES_BYTES,
  `must be at most ${MAX_NOTES_BYTES} bytes of UTF-8`,
)

/** As many tags as a run may have. */
export const MAX_RUN_TAGS = 32
export const runTagList = z.array(lineText(64)).max(MAX_RUN_TAGS)

export const descriptionText = plainText(4000)
/** Words that a repo's card can be found by. */
export const labelList = z.array(plainText(256).min(1)).max(100)
/** What the author of a change of a repo's files says about it. */
export const changeMessageText = plainText(500)
export const searchText = plainText(200)
export const wordText = plainText(64).min(1)
export const longNameText = plainText(256).min(1)
/** Display name of a person or org. */
export const displayNameText = plainText(200).min(1)
/** An address as people write it: nothing is sent there, so only its form is looked at. */
export const emailText = plainText(254).regex(/^[^\s@]+@[^\s@]+$/u, 'must be an email address')
export const keyNameText = plainText(100).min(1)
export const fullNameText = z
  .string()
  .max(129)
  .regex(new RegExp(`^${NAME}/${NAME}$`), 'must be owner/slug')
/**
 * `org/name` on the external model hub, and a branch, tag or commit; the two parts are groups. No part begins with a
 * dot, so none is a path.
 */
export const HF_REPO = /^([\w-][\w.-]{0,95}\/[\w-][\w.-]{0,95})(?:@([\w-][\w./-]{0,255}))?$/
export const hfRepoText = z.string().regex(HF_REPO, 'must be org/name or org/name@revision')
export const sha256Text = z.string().regex(/^[a-f0-9]{64}$/, 'must be 64 lower-case hex digits')

export const MAX_CONTENT_TYPE_LENGTH = 255

/** A media type is sent in a header, so it must be a valid header value. */
export const contentTypeText = z
  .string()
  .max(MAX_CONTENT_TYPE_LENGTH)
  .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), 'must not contain control characters')
export const DEFAULT_PAGE_SIZE = 20

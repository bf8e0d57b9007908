/** `T`, readonly at every depth. In a file of its own, as packed types that name it would else need zod. */
export type DeepReadonly<T> = T extends object ? { readonly [K in keyof T]: DeepReadonly<T[K]> } : T

/** The picture of an account, or its first letter. The handle stands beside it, so it says nothing itself. */

interface Props {
  readonly account: { readonly handle: string; readonly avatarPath: string | null }
  /** In pixels. */
  readonly size?: number
}

export function Avatar({ account: { handle, avatarPath }, size = 24 }: Props) {
  if (avatarPath !== null)
    return <img className="avatar" src={avatarPath} alt="" width={size} height={size} loading="lazy" />
  return (
    <span className="avatar" aria-hidden="true" style={{ width: size, height: size, fontSize: size * 0.5 }}>
      {handle.charAt(0).toUpperCase()}
    </span>
  )
}

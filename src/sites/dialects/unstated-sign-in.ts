/**
 * The cause of a MANIFEST_NOT_FOUND: the host refused the request (401, 403) and does not say how to sign in, so nothing
 * is known about what it is.
 */
export class UnstatedSignIn extends Error {
  override readonly name = 'UnstatedSignIn'
}

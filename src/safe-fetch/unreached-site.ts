/** For a site whose host, as written, is neither a public address nor allowed. */
export const refusedAddress =
  'The site does not have a public internet address. The platform operator can allow it with SITE_ALLOW.'

/**
 * For any other unreachable site. An unknown name, a name with a forbidden address and a closed port share one
 * sentence, because a difference would let a stranger map this server's network.
 */
export const unreached =
  'The site could not be reached. Its host name is unknown, nothing responds at its address, or the address is not on the public internet.'

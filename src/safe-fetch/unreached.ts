/** Said of a site whose host is, as it is written, no public address and not allowed. */
export const refusedAddress =
  'The site does not have a public internet address. The operator of the platform can allow it with SITE_ALLOW.'

/**
 * Said of any other site that was not reached. It has one sentence for an unknown name, for a name that stands for an
 * address that is not allowed, and for a closed port: the difference would let a stranger map the network of this
 * server.
 */
export const unreached =
  'The site could not be reached. Its host name is unknown, nothing responds at its address, or the address is not on the public internet.'

/** Said of a site whose host is, as it is written, no public address and not allowed. */
export const refusedAddress =
  'The site has an address that is not on the public internet. The operator of the platform can allow it (SITE_ALLOW).'

/**
 * Said of any other site that was not reached. It has one sentence for an unknown name, for a name that stands for an
 * address that is not allowed, and for a closed port: the difference would let a stranger map the network of this
 * server.
 */
export const unreached =
  'The site could not be reached: its name is not known, nothing answers at its address, or that is not on the public internet.'

/** The ports by use. Each has its own limits and holds. */
export const sitePorts = {
  plain: 0,
  oauth: 1,
  limited: 2,
  held: 3,
  manifests: 4,
  leaving: 5,
  queue: 6,
  shortOauth: 7,
} as const

/** The number of ports in total. */
export const countOfPorts = Object.keys(sitePorts).length

export type SitePort = keyof typeof sitePorts

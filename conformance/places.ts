/** The ports by use: limits and holds are counted for each one. */
export const places = {
  plain: 0,
  oauth: 1,
  limited: 2,
  held: 3,
  manifests: 4,
  leaving: 5,
  queue: 6,
  shortOauth: 7,
} as const

/** How many ports all of them take. */
export const countOfPorts = Object.keys(places).length

export type PlaceOfSite = keyof typeof places

/** The kinds of sites, by how they are spoken to. */
export const dialectNames = ['manifest', 'mcp'] as const

export type DialectName = (typeof dialectNames)[number]

/** The names of items that share one. */
export const repeats = <T>(items: T[], name: (item: T) => string): string[] =>
  [...Map.groupBy(items, name)].filter(([, own]) => own.length > 1).map(([of]) => of)

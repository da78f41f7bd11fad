/** Formats bytes for people, in the largest fitting unit of 1024: `64 KiB`, `1.5 GiB`. */
export function bytesInWords(bytes: number): string {
  const power = Math.min(Math.max(0, Math.floor(Math.log2(bytes) / 10)), units.length - 1)
  return `${Number((bytes / 1024 ** power).toFixed(1))} ${units[power]}`
}

const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB']

export const secondsInWords = (seconds: number): string => `${seconds} ${seconds === 1 ? 'second' : 'seconds'}`

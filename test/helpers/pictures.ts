/** Where the stories of the console keep a picture of every page, or undefined: a folder that exists. */
export const picturesFolder = process.env['CONSOLE_PICTURES']

/**
 * Names channel, database and lock of the documents of a relay, space and person. It does not begin
 * like the name of a space's own store, by which those of other people are found (B3.2).
 */
export const documentsName = (name: string): string => name.replace(/^deem:/, "deem-documents:");

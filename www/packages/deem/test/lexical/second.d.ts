declare module "lexical?second" {
  export { createEditor } from "lexical";
}

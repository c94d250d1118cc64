/** The package has no types of its own. Options: https://swagger.io/docs/open-source-tools/swagger-ui/usage/configuration */
declare module 'swagger-ui-dist/swagger-ui-es-bundle.js' {
  interface Options {
    url: string;
    dom_id: string;
    deepLinking: boolean;
    /** 0: the list of schemas is there and closed. */
    defaultModelsExpandDepth: number;
    /** Null: no validator on the network is asked. */
    validatorUrl: null;
  }
  export default function SwaggerUI(options: Options): void;
}

/** What is behind everything that the cameras of a model see: a cube around the camera. */
import { BackSide, type CubeTexture, Mesh, ShaderMaterial, SphereGeometry } from 'three'

/** Drawn first and at no distance. Its owner keeps it where the camera is. */
export function skyOf(picture: CubeTexture): Mesh {
  const material = new ShaderMaterial({
    uniforms: { sky: { value: picture } },
    vertexShader: `varying vec3 at;
      void main() {
        at = position;
        gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
        gl_Position.z = gl_Position.w;
      }`,
    // MuJoCo turns its skies by a quarter: up is the y axis of their cubes.
    fragmentShader: `uniform samplerCube sky;
      varying vec3 at;
      void main() { gl_FragColor = vec4(textureCube(sky, vec3(at.x, at.z, -at.y)).rgb, 1.0); }`,
    side: BackSide,
    depthTest: false,
    depthWrite: false,
  })
  material.userData.picture = picture
  const sky = new Mesh(new SphereGeometry(1, 32, 16), material)
  sky.renderOrder = -1
  sky.frustumCulled = false
  return sky
}
